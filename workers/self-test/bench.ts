import type { Figures, SelfTestRequest } from "../../shared/model/self-test.ts";
import type { SocketAddress } from "../../shared/model/socket-address.ts";
import type { Connection } from "../prober/dial/connection.ts";
import type { ProbeRequest, ProbeResult } from "../prober/probe/probe-request.ts";
import type { NextAlarm } from "./next-alarm.ts";

/** What a measurement has to work with, inside an object. */
export interface Bench {
  request: SelfTestRequest;
  /** Emptied after each measurement. */
  storage: DurableObjectStorage;
  dial(target: SocketAddress): Connection;
  /** Asks in a loopback invocation, as suspects are asked. */
  probeInLoopback(question: ProbeRequest): Promise<ProbeResult>;
  /** Asks several in one such invocation, as proven addresses are with DIALS_TOGETHER. */
  probeBatchInLoopback(questions: readonly ProbeRequest[]): Promise<ProbeResult[]>;
  /** The setting DIALS_TOGETHER. */
  dialsTogether: number;
  echo(n: number): Promise<number>;
  nextAlarm: NextAlarm;
  /** The data centre that the object runs in, where that is to be learnt. */
  colo(): Promise<string | undefined>;
}

/** Measures one thing. What it throws is told as it is: nothing that it handles is secret. */
export type Measure = (bench: Bench) => Promise<Figures>;
