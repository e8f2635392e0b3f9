import { request } from "node:https";
import { text } from "node:stream/consumers";
import type { Cluster } from "./cluster.ts";

/** What the API server answered: the object as it would stand, or the Status that says what is wrong with it. */
export interface Answer {
  code: number | undefined;
  body: unknown;
}

/** Lets the API server judge an object that is not stored, as strictly as kubectl does. Does not throw when it is refused. */
export async function tryCreate(cluster: Cluster, collection: string, object: unknown): Promise<Answer> {
  const token = cluster.config.getCurrentUser()?.token;
  const url = `${cluster.server}${collection}?dryRun=All&fieldValidation=Strict`;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const call = request(
    url,
    {
      method: "POST",
      ca: cluster.access.authority,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    },
    (answer) => {
      text(answer).then((body) => resolve({ code: answer.statusCode, body: JSON.parse(body) }), reject);
    },
  );
  call.on("error", reject);
  call.end(JSON.stringify(object));
  return await promise;
}
