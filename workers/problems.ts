import type { FieldError, Problem } from "../shared/model/problem.ts";

/** All problems that the edge returns, with HTTP status and title. */
export const PROBLEMS = {
  MalformedBody: [400, "The body cannot be parsed"],
  TokenMissing: [401, "A token is required"],
  TokenWrong: [401, "Wrong token"],
  SignatureMissing: [401, "The request is not signed"],
  SignatureMalformed: [401, "The signature headers cannot be parsed"],
  SignatureInvalid: [401, "Wrong signature"],
  TimestampMalformed: [401, "The signed time is not a Unix time in seconds"],
  TimestampTooOld: [401, "The request was signed too long ago"],
  TimestampTooNew: [401, "The request was signed in the future"],
  AdminTokenNeeded: [403, "The admin token is required; the token sent grants read access only"],
  OriginForeign: [403, "The request came from another site"],
  AdminClosed: [403, "The route is closed: the Worker has no token for it"],
  NotFound: [404, "No such route"],
  ClusterUnknown: [404, "No cluster of this name is registered"],
  RecordUnknown: [404, "No record has this root host"],
  ProbeUnknown: [404, "No such probe"],
  MethodNotAllowed: [405, "Method not allowed"],
  ClusterExists: [409, "A cluster of this name is already registered"],
  ClusterIdentityMismatch: [409, "The name belongs to another cluster"],
  SnapshotShrunk: [409, "The snapshot lacks more than half of the records"],
  SnapshotOutdated: [409, "A newer snapshot was already accepted"],
  SnapshotOvertaken: [412, "Another client has pushed a snapshot"],
  BodyTooLarge: [413, "The body is too large"],
  FieldInvalid: [422, "A field is invalid"],
  SnapshotCutOff: [422, "The snapshot is incomplete"],
  UpgradeMissing: [426, "This route requires a WebSocket"],
  SnapshotTagMissing: [428, "If-Match is required"],
  TooManyRequests: [429, "Too many requests"],
  InternalError: [500, "Internal error of the edge"],
  SettingsWrong: [503, "The settings of the Worker are invalid"],
  StreamFull: [503, "Too many live connections to this partition"],
  ClusterUnavailable: [503, "A cluster's object cannot be reached"],
  CoordinatorUnavailable: [503, "A coordinator cannot be reached"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The URI of a problem type. */
export const problemType = (code: ProblemCode): string => `https://vedette.dev/problems/${code}`;

/** The problem document (RFC 9457). Neither detail nor errors may contain a secret. */
export function problemOf(code: ProblemCode, detail?: string, errors?: FieldError[]): Problem {
  const [status, title] = PROBLEMS[code];
  return { type: problemType(code), title, status, ...(detail && { detail }), ...(errors && { errors }) };
}
