/** The methods of an RPC interface as a plain class implements them: each may return its result at once. */
export type Handlers<Rpc> = {
  [Method in keyof Rpc]: Rpc[Method] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result | Promise<Result>
    : never;
};

/**
 * Gives a Durable Object class the methods of a plain class that handles its calls. They go on the prototype, where the
 * platform looks for RPC methods. So a method is declared in `rpc.ts`, implemented in the plain class, and nowhere else.
 */
export function forwardMethods<Target extends object>(
  objectClass: { prototype: Target },
  handlersClass: { prototype: object },
  handlersOf: (object: Target) => object,
): void {
  for (const name of Object.getOwnPropertyNames(handlersClass.prototype)) {
    if (name === "constructor") continue;
    const value = function (this: Target, ...args: unknown[]): unknown {
      const handlers = handlersOf(this);
      return Reflect.get(handlers, name).apply(handlers, args);
    };
    Object.defineProperty(objectClass.prototype, name, { value, writable: true, configurable: true });
  }
}
