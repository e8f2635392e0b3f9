import type { ProbeRequest, ProbeResult, ProtocolResult } from "../probe/probe-request.ts";
import { protocolResult } from "../probe/probe-request.ts";
import { PROTOCOLS } from "../probe/protocols.ts";
import type { Verify } from "../tls/verify/verifier.ts";
import type { Connect, Connection } from "./connection.ts";
import { dial } from "./connection.ts";
import { Deadline, EXPIRED } from "./deadline.ts";
import type { Slot } from "./slots.ts";

/** What it takes to ask an address: how to dial it, and how to verify its certificate. */
export interface ProbeTransport {
  connect: Connect;
  verify: Verify;
}

/**
 * Dials one address and asks it, under one deadline from the dial to the last byte needed. The dial counts as pending until the
 * peer's first byte. If it hangs, it does so until the platform frees its slot, since it cannot be cancelled.
 */
export async function probeAddress(reach: ProbeTransport, question: ProbeRequest, slot: Slot): Promise<ProbeResult> {
  const deadline = new Deadline(question.timeoutMs);
  const watch = new Stopwatch();
  let connection: Connection | undefined;
  try {
    connection = dial(reach.connect, question.address, question.port);
    return watch.probeResult(
      question,
      await ask(connection, question, { deadline, watch, slot, verify: reach.verify }),
    );
  } catch (error) {
    return watch.probeResult(question, protocolResult("InternalError", `The prober failed: ${error}`));
  } finally {
    deadline.clear();
    if (connection === undefined) slot.closed();
    else release(connection, slot);
  }
}

async function ask(
  connection: Connection,
  question: ProbeRequest,
  { deadline, watch, slot, verify }: { deadline: Deadline; watch: Stopwatch; slot: Slot; verify: Verify },
): Promise<ProtocolResult> {
  const at = `${question.address} port ${question.port}`;
  const opened = await deadline.race(
    connection.opened.then(
      () => "opened" as const,
      () => "failed" as const,
    ),
  );
  if (opened === EXPIRED) {
    return protocolResult("ConnectTimeout", `No answer to the dial to ${at} within ${question.timeoutMs} ms.`);
  }
  if (opened === "failed")
    return protocolResult("ConnectFailed", `Could not connect to ${at}: is anything listening there?`);
  watch.connected();
  const progress = {
    heard: () => slot.settled(),
    secured: () => watch.secured(),
    answered: () => watch.answered(),
  };
  return PROTOCOLS[question.protocol](connection, question, { deadline, progress, verify });
}

/** Closes without waiting: `close` of a dial that hangs waits for the dial. */
function release(connection: Connection, slot: Slot): void {
  connection.opened.then(slot.closed, slot.closed);
  connection.close().catch(() => undefined);
}

/** Reads the clock at the phases of a check; each follows I/O, without which the platform's clock stands still. */
class Stopwatch {
  readonly #startedAt = Date.now();
  #connectMs: number | undefined;
  #tlsMs: number | undefined;
  #firstByteMs: number | undefined;

  #elapsedMs(): number {
    return Math.max(0, Date.now() - this.#startedAt);
  }

  connected(): void {
    this.#connectMs = this.#elapsedMs();
  }

  secured(): void {
    this.#tlsMs = this.#elapsedMs();
  }

  answered(): void {
    this.#firstByteMs = this.#elapsedMs();
  }

  probeResult(question: ProbeRequest, given: ProtocolResult): ProbeResult {
    const phases = {
      ...(this.#connectMs !== undefined && { connectMs: this.#connectMs }),
      ...(this.#tlsMs !== undefined && { tlsMs: this.#tlsMs }),
      ...(this.#firstByteMs !== undefined && { firstByteMs: this.#firstByteMs }),
      totalMs: this.#elapsedMs(),
    };
    return { ...given, phases, address: question.address };
  }
}
