import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { Meter } from "./meter.ts";

const wrapped = new WeakSet<object>();

/**
 * An object that counts what it uses: whatever its class has for methods is called from outside, and so is one billed request, or an
 * alarm (what is its own has a `#`, and no method calls another). `ctx.storage` and `ctx.waitUntil` are counted from its constructor on.
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
    countCalls(classUnder(MeteredObject.prototype, new.target.prototype));
  }
}

/** The prototype of the class that extends this one. Local runtimes put classes of their own before it, which call what it has. */
function classUnder(base: object, prototype: object): object {
  const parent: object | null = Object.getPrototypeOf(prototype);
  return parent === base || parent === null ? prototype : classUnder(base, parent);
}

/** Once for each class. The methods stay on the prototype: the platform looks for them there. */
function countCalls(prototype: object): void {
  if (wrapped.has(prototype)) return;
  wrapped.add(prototype);
  for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name === "constructor" || typeof value !== "function" || !writable) continue;
    Object.defineProperty(prototype, name, { value: counted(name, value), writable: true, configurable: true });
  }
}

type Method = (this: MeteredObject, ...given: unknown[]) => unknown;

function counted(name: string, method: Method): Method {
  return function (...given) {
    const work = async () => method.apply(this, given);
    return name === "alarm" ? this.meter.alarmed(work) : this.meter.ran(work);
  };
}
