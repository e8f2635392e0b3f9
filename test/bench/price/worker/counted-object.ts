import type { ClassName } from "../counts.ts";
import { Account } from "./account.ts";
import { countedStorage } from "./counted-storage.ts";

type ObjectClass = new (ctx: DurableObjectState, env: never) => object;
type Method = (...given: unknown[]) => unknown;

/** The class with all that is called from outside counted, and all that its storage, its sockets and its waiting cost. */
export function counted<Real extends ObjectClass>(real: Real, name: ClassName): Real {
  const accounts = new WeakMap<object, Account>();
  const wrapped = {
    [name]: class extends (real as ObjectClass) {
      constructor(ctx: DurableObjectState, env: never) {
        const { storage } = ctx;
        const account = new Account(name, ctx.id.toString(), () => storage.sql.databaseSize);
        const waitUntil = ctx.waitUntil.bind(ctx);
        Object.defineProperties(ctx, {
          storage: { value: countedStorage(storage, account), configurable: true },
          waitUntil: { value: (promise: Promise<unknown>) => waitUntil(account.hold(promise)), configurable: true },
        });
        const startedAt = Date.now();
        account.begin();
        try {
          super(ctx, env);
        } finally {
          account.counts.startMs += Date.now() - startedAt;
          account.end();
        }
        accounts.set(this, account);
        holdSockets(this, account);
      }
    },
  }[name] as Real;
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(real.prototype))) {
    if (name === "constructor" || typeof value !== "function") continue;
    // The product's own meter puts itself over what it finds here when the first object starts, or over what is there.
    const original = () => Reflect.get(real.prototype, name) as Method;
    const method = countedMethod(name, original, accounts);
    Object.defineProperty(wrapped.prototype, name, { value: method, writable: true, configurable: true });
  }
  return wrapped;
}

function countedMethod(name: string, original: () => Method, accounts: WeakMap<object, Account>): Method {
  return function (this: object, ...given: unknown[]) {
    const account = accounts.get(this);
    if (account === undefined) return original().apply(this, given);
    if (name === "alarm") {
      account.counts.alarms += 1;
      const { scheduledTime = Date.now() } = (given[0] ?? {}) as { scheduledTime?: number };
      account.counts.alarmLateMs += Math.max(0, Date.now() - Number(scheduledTime));
    } else account.counts.calls += 1;
    return account.run(() => original().apply(this, given));
  };
}

/** An open socket keeps its object awake, also one whose question is over: see `Prober.dependencies`. */
function holdSockets(object: object, account: Account): void {
  const dependencies = Reflect.get(object, "dependencies") as { connect?: (...given: unknown[]) => Socket } | undefined;
  if (dependencies?.connect === undefined) return;
  const connect = dependencies.connect;
  dependencies.connect = (...given) => {
    const socket = connect(...given);
    void account.hold(socket.closed.catch(() => undefined));
    return socket;
  };
}
