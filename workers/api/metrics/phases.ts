import type { Phases } from "../../../shared/model/observation.ts";

/** Each phase by itself, ms: in an observation those after the dial all count from the dial. */
export function phaseTimes({ resolveMs, connectMs, tlsMs, firstByteMs }: Phases): [phase: string, ms: number][] {
  const before = tlsMs ?? connectMs;
  const times: [string, number | undefined][] = [
    ["resolve", resolveMs],
    ["connect", connectMs],
    ["tls", between(connectMs, tlsMs)],
    ["first_byte", between(before, firstByteMs)],
  ];
  return times.flatMap(([phase, ms]) => (ms === undefined ? [] : [[phase, ms]]));
}

function between(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from);
}
