/** What objects of one class have used of what Cloudflare bills, counted from inside, since the Worker was started. */
export interface ObjectCounts {
  /** Objects that were ever started. */
  objects: number;
  /** How often one was started: above `objects` by the times that one was put to sleep and woke again. */
  starts: number;
  /** Calls and fetches from outside the object. */
  calls: number;
  alarms: number;
  /** How much later than set the alarms fired, in milliseconds, in all. */
  alarmLateMs: number;
  rowsRead: number;
  /** Rows written by table; `alarm` has those of setAlarm and deleteAlarm. */
  rowsWritten: Record<string, number>;
  /** The time in which an object ran or awaited anything, in milliseconds; overlapping events of one object count once. */
  awakeMs: number;
  /** Of that, what constructors took: reading back what memory has lost. */
  startMs: number;
  logLines: number;
  /** What is stored now, of all objects. */
  bytes: number;
}

/** What the Worker itself has used. */
export interface WorkerCounts {
  /** Requests from outside, such as snapshots. */
  requests: number;
  /** Calls of cron. */
  crons: number;
  /** Dials in an invocation that is no object: no request is billed for it, but its CPU time may be. */
  loopbackDials: number;
  logLines: number;
}

export const CLASSES = ["Prober", "Coordinator", "Cluster", "Notifier"] as const;
export type ClassName = (typeof CLASSES)[number];

export interface Counts {
  objects: Record<ClassName, ObjectCounts>;
  worker: WorkerCounts;
}
