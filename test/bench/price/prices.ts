/** USD for each, of Cloudflare's paid plan; what the plan includes is not taken off. */
export const PRICES = {
  objectRequest: 0.15e-6,
  gbSecond: 12.5e-6,
  rowWritten: 1e-6,
  rowRead: 0.001e-6,
  gbMonth: 0.2,
  logLine: 0.6e-6,
  workerRequest: 0.3e-6,
  workerCpuMs: 0.02e-6,
};

/** A check of an endpoint outside AWS from Route 53, a month: HTTPS is one optional feature, ten seconds another. */
export const route53Usd = (intervalS: number): number => 0.75 + 2 + (intervalS < 30 ? 2 : 0);
