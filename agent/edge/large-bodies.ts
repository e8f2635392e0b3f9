import type { MiddlewareHandler } from "hono";

/**
 * Lets small bodies pass, and of large ones, or of those that do not say how large they are, only so many at one time: a body
 * is held in memory before its signature can be checked, and anybody can send one.
 */
export function largeBodies(largeBytes: number, mostAtOnce: number, onFull: () => Response): MiddlewareHandler {
  let passing = 0;
  return async ({ req }, next) => {
    const bytes = Number(req.header("content-length") ?? Number.POSITIVE_INFINITY);
    if (bytes <= largeBytes) return next();
    if (passing >= mostAtOnce) return onFull();
    passing += 1;
    try {
      await next();
    } finally {
      passing -= 1;
    }
  };
}
