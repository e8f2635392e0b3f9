import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callScheduled } from "../../local/parts.ts";
import { HOST } from "../../local/plan.ts";
import { everyRoute, filled, type Operation } from "./support/every-route.ts";
import { Canaries } from "./support/leaks.ts";
import {
  type LoneEdge,
  pushSecretly,
  registerSecretly,
  type SecretCluster,
  secretSettings,
  signed,
  startLoneEdge,
  startTellTale,
  type Tokens,
} from "./support/secret-edge.ts";
import { until } from "./support/until.ts";

const canaries = new Canaries();
const tokens: Tokens = { admin: canaries.make("admin"), view: canaries.make("view") };
const wrongToken = canaries.make("wrongToken");
const probeHeader = canaries.make("probeHeader");
const badHeader = canaries.make("badHeader");

let edge: LoneEdge;
let tellTale: Awaited<ReturnType<typeof startTellTale>>;
let told: SecretCluster;
let spare: SecretCluster;
let receipts: string[];

beforeAll(async () => {
  tellTale = await startTellTale();
  edge = await startLoneEdge(secretSettings(canaries, tokens, tellTale.port));
  // The notifier tells of nothing that began before it was there.
  await callScheduled(edge.url);
  const hook = (name: string) =>
    `http://${HOST}:${tellTale.port}/${canaries.make(name)}?key=${canaries.make(`${name}Query`)}`;
  told = await registerSecretly(edge, tokens.admin, "told", hook("webhook"));
  spare = await registerSecretly(edge, tokens.admin, "spare", hook("spareWebhook"));
  for (const { cluster, secret } of [told, spare]) {
    const inner = secret.replace(/^whsec_/, "");
    canaries.add(`secret of ${cluster}`, inner, Buffer.from(inner, "base64"));
  }
  receipts = [
    await pushSecretly(edge, told, { "X-Probe": `${badHeader}\u0001`, "not a name": badHeader }, tellTale.port),
    await pushSecretly(edge, told, { "X-Probe": probeHeader, authorization: `Bearer ${probeHeader}` }, tellTale.port),
  ];
  await until("a probe with the header", () => tellTale.seen.some((line) => line.includes(probeHeader)));
  await until("a delivery", () => tellTale.seen.some((line) => line.includes(new URL(told.webhookUrl).pathname)));
  await until("the failure of the delivery", async () => (await read("/v1/overview")).includes('"lastFailure"'));
  await until("the notifications that fail", () => ["generic", "slack", "pagerduty"].every(wasTold));
  await until("a leaf that is withheld", async () => (await read("/v1/overview")).includes('"UnhealthyWithheld"'));
});

afterAll(async () => {
  await edge?.stop();
  await tellTale?.stop();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const read = async (path: string) => (await fetch(`${edge.url}${path}`, { headers: bearer(tokens.admin) })).text();

async function sessionOf(token: string): Promise<Record<string, string>> {
  const answer = await fetch(`${edge.url}/v1/session`, { method: "POST", body: JSON.stringify({ token }) });
  expect(answer.status).toBe(204);
  return { cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "" };
}

/** What identifies the one who asks; a signature is made for the route. */
async function everybody(): Promise<Record<string, Record<string, string>>> {
  return {
    nobody: {},
    "a wrong token": bearer(wrongToken),
    viewer: bearer(tokens.view),
    admin: bearer(tokens.admin),
    "a viewer's session": await sessionOf(tokens.view),
    "an admin's session": await sessionOf(tokens.admin),
  };
}

/** Bodies by route, beside those that no route takes; one has to succeed. */
function bodiesFor({ name, hasBody }: Operation): (string | undefined)[] {
  if (!hasBody) return [undefined];
  const check = {
    url: `http://api.example.test:${tellTale.port}/${canaries.make("checkPath")}`,
    address: HOST,
    regions: ["weur"],
  };
  const known: Record<string, unknown[]> = {
    "POST /v1/clusters": [
      { cluster: "third", hosts: ["third.example.test"] },
      ...["ftp://", "//"].map((start) => {
        return { cluster: "fourth", hosts: ["a.test"], webhookUrl: `${start}${HOST}/${canaries.make("wrongWebhook")}` };
      }),
    ],
    "POST /v1/session": [{ token: tokens.view }, { token: wrongToken }, { token: wrongToken.repeat(50) }],
    "POST /v1/checks": [check],
    "POST /v1/import": [{ kind: "Export", version: 1, at: 0 }],
  };
  const bodies = (known[name] ?? []).map((body) => JSON.stringify(body));
  return [...bodies, "{}", `{"${wrongToken}`, JSON.stringify({ [wrongToken.slice(0, 3)]: wrongToken })];
}

interface Answer {
  of: string;
  status: number;
  text: string;
}

/** Asks a route as each who can ask, with each body, signed ones by the cluster, by nobody and wrongly. */
async function ask(operation: Operation): Promise<Answer[]> {
  const { name, method, isSigned } = operation;
  const isEnd = method !== "GET" && !isSigned;
  const values = { cluster: isEnd ? "spare" : "told", host: "api.example.test", id: `told/shop/api/${HOST}` };
  const path = filled(operation, values);
  const answers: Answer[] = [];
  for (const [who, headers] of Object.entries(await everybody())) {
    for (const body of bodiesFor(operation))
      answers.push(await answerOf(`${name} as ${who}`, { method, headers }, path, body));
  }
  if (!isSigned) return answers;
  for (const [who, secret] of Object.entries({ "the cluster": told.secret, "another cluster": spare.secret })) {
    const body = method === "GET" ? undefined : "{}\n";
    const headers = signed(secret, body ?? path);
    answers.push(await answerOf(`${name} as ${who}`, { method, headers }, path, body));
  }
  return answers;
}

async function answerOf(of: string, request: RequestInit, path: string, body: string | undefined): Promise<Answer> {
  const response = await fetch(`${edge.url}${path}`, {
    ...request,
    ...(body !== undefined && { body }),
    redirect: "manual",
  });
  // The session is what the answer is for: it holds no token, and is looked through like the rest.
  const head = JSON.stringify([...response.headers]);
  return { of, status: response.status, text: `${head}\n${await response.text()}` };
}

/** The address of its agent is shown to the admin, who set it: there, in that field, and nowhere else. */
function withoutOwnWebhooks({ of, text }: Answer): string {
  if (!/^GET \/v1\/(export|clusters(\/\{cluster\})?) as (admin|an admin's session)$/.test(of)) return text;
  return text.replace(/"webhookUrl":"[^"]*"/g, '"webhookUrl":""');
}

const leaks = (answers: readonly Answer[]) =>
  answers.flatMap((answer) => canaries.in(withoutOwnWebhooks(answer)).map((name) => `${name} in ${answer.of}`));

describe("a secret", () => {
  test("would be found: plain, in a URL, in hexadecimal, in base64 wherever it stands", () => {
    const secret = canaries.make("example");
    const inside = ["", "a", "ab", "abc"].map((before) => Buffer.from(`${before}${secret}/x`));
    const texts = [
      JSON.stringify({ secret }),
      encodeURIComponent(`/hooks/${secret}?a=ü`),
      ...inside.flatMap((octets) => ["base64", "base64url", "hex"].map((form) => octets.toString(form as "hex"))),
    ];
    for (const text of texts) expect(canaries.in(`before ${text} after`)).toEqual(["example"]);
    expect(canaries.in("cnryexample")).toEqual([]);
  });

  test("is in no answer of any route, to nobody, viewer, admin or cluster, and in no stream, page or log", async () => {
    const socket = new WebSocket(`${edge.url.replace("http", "ws")}/v1/live?after=0`, {
      headers: bearer(tokens.view),
    } as never);
    const stream: Answer = { of: "the stream", status: 101, text: "" };
    socket.addEventListener("message", ({ data }) => {
      stream.text += data;
    });
    await until("the stream's first message", () => stream.text !== "");

    const operations = await everyRoute(edge.url);
    const answers: Answer[] = [];
    const lame: string[] = [];
    for (const operation of operations) {
      const own = await ask(operation);
      answers.push(...own);
      const isAnswered = operation.isStream || own.some(({ status }) => status >= 200 && status < 300);
      // A snapshot that is taken was pushed before.
      if (!isAnswered && operation.method !== "PUT") lame.push(operation.name);
    }
    expect(lame, "routes that this test cannot get an answer from").toEqual([]);
    for (const path of ["/", "/login", "/records/api.example.test", "/events", "/clusters", "/regions", "/none"]) {
      answers.push(await answerOf(`page ${path}`, { method: "GET", headers: bearer(tokens.admin) }, path, undefined));
    }
    for (const receipt of receipts) answers.push({ of: "a receipt", status: 200, text: receipt });
    await until("the stream to tell of the end of the record", () => stream.text.includes("ClusterRemoved"));
    socket.close();
    const log: Answer = { of: "the log", status: 0, text: edge.log() };
    expect(log.text).toContain("a notification failed");
    expect(leaks([...answers, stream, log])).toEqual([]);
    const shown = answers.find(({ of }) => of === "GET /v1/clusters as admin");
    expect(canaries.in(shown?.text ?? "")).toContain("webhook");
  });

  test("is in no error of wrong settings", async () => {
    const wrong = { VIEW_TOKEN: canaries.make("shortView", 12), HEADER_KEY: canaries.make("wrongKey") };
    const listed = `[{"name":"x","kind":"slack","url":"${canaries.make("wrongUrl")}","secret":"${canaries.make("wrongSecret")}"}]`;
    const roots = `-----BEGIN PRIVATE KEY-----\n${canaries.make("privateKey", 64)}\n-----END PRIVATE KEY-----`;
    const lone = await startLoneEdge({ ...wrong, NOTIFICATIONS: listed, EXTRA_ROOTS: roots, PARTITIONS: "none" });
    try {
      const answer = await (await fetch(`${lone.url}/v1/overview`)).text();
      for (const name of [...Object.keys(wrong), "NOTIFICATIONS", "EXTRA_ROOTS", "PARTITIONS"])
        expect(answer).toContain(name);
      expect(canaries.in(`${answer}\n${lone.log()}`)).toEqual([]);
    } finally {
      await lone.stop();
    }
  });
});

/** Whether this target of the notifications was called, by the secret in its path. */
function wasTold(name: string): boolean {
  return tellTale.seen.some((line) => canaries.in(line.split(" ")[1] ?? "").includes(name));
}
