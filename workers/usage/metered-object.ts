import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { Meter } from "./meter.ts";

const countedClasses = new WeakSet<object>();
const countedMethods = new WeakSet<object>();

/**
 * An object that counts its own use. Each public method call counts as one billed request, or as an alarm. Private methods have a
 * `#`, and no public method calls another. `ctx.storage` and `ctx.waitUntil` are counted from its constructor on.
 */
export class MeteredObject extends DurableObject<Env> {
  readonly meter: Meter;

  constructor(ctx: DurableObjectState, env: Env) {
    const meter = new Meter(ctx.storage, Date.now);
    const waitUntil = ctx.waitUntil.bind(ctx);
    Object.defineProperties(ctx, {
      storage: { value: meter.storage, configurable: true, writable: true },
      waitUntil: {
        value: (promise: Promise<unknown>) => waitUntil(meter.awake(() => promise)),
        configurable: true,
        writable: true,
      },
    });
    super(ctx, env);
    this.meter = meter;
    countCalls(new.target.prototype);
  }
}

/**
 * Once for each class. Local runtimes and benches put their own classes before the product's. If several have a method, the
 * outermost one is called. It stays on the prototype, where the platform looks for it.
 */
function countCalls(outermost: object): void {
  if (countedClasses.has(outermost)) return;
  countedClasses.add(outermost);
  const names = new Set(["constructor"]);
  for (let one = outermost; one !== MeteredObject.prototype; one = Object.getPrototypeOf(one)) {
    for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(one))) {
      if (names.has(name) || typeof value !== "function" || !writable) continue;
      names.add(name);
      if (countedMethods.has(value)) continue;
      Object.defineProperty(one, name, { value: counted(name, value), writable: true, configurable: true });
    }
  }
}

type Method = (this: MeteredObject, ...given: unknown[]) => unknown;

function counted(name: string, method: Method): Method {
  const call: Method = function (...given) {
    const work = async () => method.apply(this, given);
    return name === "alarm" ? this.meter.alarmed(work) : this.meter.ran(work);
  };
  countedMethods.add(call);
  return call;
}
