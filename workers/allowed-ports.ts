import { z } from "zod";

/** Ports, both ends included. */
export interface PortRange {
  from: number;
  to: number;
}

/** Never probed: the platform refuses the SMTP port, and a probe there would look like spam. */
const REFUSED_PORT = 25;
const HIGHEST_PORT = 65_535;

/**
 * Parses ports and port ranges, such as `80,443,8000-8999`. Port 25 is removed from any range, and refused on its
 * own.
 */
export const allowedPorts = z.string().transform((text, context): PortRange[] => {
  const ranges: PortRange[] = [];
  for (const part of text.split(",")) {
    const fault = addRange(ranges, part.trim());
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
  }
  return context.issues.length > 0 ? z.NEVER : ranges;
});

/** Whether a probe may dial the port. */
export function isPortAllowed(port: number, allowed: readonly PortRange[]): boolean {
  return allowed.some(({ from, to }) => from <= port && port <= to);
}

/** Why a probe may not dial the port, as a rule for the value; undefined if it may. */
export function portFault(port: number, allowed: readonly PortRange[]): string | undefined {
  if (isPortAllowed(port, allowed)) return undefined;
  const ranges = allowed.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  return `must be one of ${ranges.join(", ") || "none"}, which are the edge's ALLOWED_PORTS`;
}

/** Returns the rule that the part breaks, or undefined. */
function addRange(ranges: PortRange[], part: string): string | undefined {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? [];
  const from = Number(first);
  const to = Number(last);
  if (first === undefined || from < 1 || to > HIGHEST_PORT || from > to) {
    return 'must be ports from 1 to 65535 and ranges of them, such as "80,443,8000-8999"';
  }
  if (from === REFUSED_PORT && to === REFUSED_PORT) return "must not name port 25: the platform dials no mail servers";
  if (from < REFUSED_PORT && REFUSED_PORT < to) {
    ranges.push({ from, to: REFUSED_PORT - 1 }, { from: REFUSED_PORT + 1, to });
  } else {
    ranges.push({ from: from === REFUSED_PORT ? from + 1 : from, to: to === REFUSED_PORT ? to - 1 : to });
  }
  return undefined;
}
