import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { Meter } from "./meter.ts";

const countedClasses = new WeakSet<object>();
const countedMethods = new WeakSet<object>();

/**
 * A Durable Object that meters its usage. Each public method call counts as one billed request, or an alarm. (Private
 * methods have a `#`, and public methods do not call each other.) `ctx.storage` and `ctx.waitUntil` are metered from
 * the constructor on.
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
 * Runs once for each class. Local runtimes and benches derive classes from the product's. If several define a method,
 * the outermost is called, so only that one is counted. It stays on the prototype, where the platform looks for it.
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
