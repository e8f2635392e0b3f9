import type { FieldError, Problem } from "../shared/model/problem.ts";

/** All problems that the edge returns, with HTTP status and title. */
export const PROBLEMS = {
  MalformedBody: [400, "The body cannot be read"],
  TokenMissing: [401, "This route needs a token"],
  TokenWrong: [401, "The token does not fit"],
  SignatureMissing: [401, "The request is not signed"],
  SignatureMalformed: [401, "The signature headers cannot be read"],
  SignatureInvalid: [401, "The signature does not fit"],
  TimestampMalformed: [401, "The signed time is not a Unix time in seconds"],
  TimestampTooOld: [401, "The request was signed too long ago"],
  TimestampTooNew: [401, "The request was signed in the future"],
  AdminTokenNeeded: [403, "This route needs the admin token: what was shown opens the view alone"],
  OriginForeign: [403, "Another site sent this request"],
  AdminClosed: [403, "The route is closed: the Worker has no token that opens it"],
  NotFound: [404, "There is no such route"],
  ClusterUnknown: [404, "No cluster of this name is registered"],
  RecordUnknown: [404, "No record has this root host"],
  ProbeUnknown: [404, "There is no such probe"],
  MethodNotAllowed: [405, "The route does not take this method"],
  ClusterExists: [409, "A cluster of this name is registered already"],
  ClusterIdentityMismatch: [409, "The name belongs to another cluster"],
  SnapshotShrunk: [409, "The snapshot lacks more than half of the records"],
  SnapshotOutdated: [409, "A newer snapshot was taken already"],
  SnapshotOvertaken: [412, "Someone else has pushed a snapshot"],
  BodyTooLarge: [413, "The body is too large"],
  FieldInvalid: [422, "A field breaks its rule"],
  SnapshotCutOff: [422, "The snapshot cannot be read as a whole"],
  UpgradeMissing: [426, "This route is a WebSocket"],
  SnapshotTagMissing: [428, "The push has to name the snapshot it replaces"],
  TooManyRequests: [429, "Too many requests"],
  InternalError: [500, "The edge has failed"],
  SettingsWrong: [503, "The settings of the Worker are wrong"],
  StreamFull: [503, "Too many watch this partition already"],
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
