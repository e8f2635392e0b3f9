/** Something to say of a policy that is in force. */
export interface Finding {
  /** Key of the policy. */
  policy: string;
  /** `Invalid`: what the policy asks for cannot be done. `Note`: it is done, and something is left out or stays as it was. */
  kind: "Invalid" | "Note";
  /** A sentence. */
  message: string;
  /** What it is said of, where that is not all of the Gateway: a host or a listener. */
  about?: string;
}
