import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { KubeClient, type RequestInfo } from "./client.ts";
import { KubeError } from "./errors.ts";
import { DNS_RECORD, GATEWAY, LEASE, SECRET } from "./kinds.ts";

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const REF = { name: "shop", namespace: "web" };
const RECORD = { apiVersion: DNS_RECORD.apiVersion, kind: "DNSRecord", metadata: { ...REF, resourceVersion: "7" } };

let server: Server;
let handle: Handler;
let connections: number;
let calls: RequestInfo[];

beforeEach(async () => {
  connections = 0;
  calls = [];
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => handle(request, response, body));
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function newClient(user = { name: "u", token: "s3cr3t" } as Parameters<KubeConfig["addUser"]>[0], deadlineMs = 5_000) {
  const config = new KubeConfig();
  const { port } = server.address() as AddressInfo;
  config.loadFromClusterAndUser({ name: "c", server: `http://127.0.0.1:${port}/`, skipTLSVerify: true }, user);
  return new KubeClient(config, { onRequest: (about) => calls.push(about), deadlineMs });
}

const say = (response: ServerResponse, code: number, body: unknown, type = "application/json") => {
  response.writeHead(code, { "content-type": type });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
};
const status = (code: number, reason: string, message = "") => ({ kind: "Status", code, reason, message });
const failure = async (call: Promise<unknown>): Promise<KubeError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof KubeError)) throw new Error(`not refused with a KubeError: ${error}`);
  return error;
};

describe("single objects", () => {
  test("get gives the object, with the token of the configuration", async () => {
    handle = ({ url, headers }, response) => {
      expect(url).toBe("/apis/vedette.dev/v1alpha1/namespaces/web/dnsrecords/shop");
      expect(headers.authorization).toBe("Bearer s3cr3t");
      say(response, 200, RECORD);
    };
    expect(await newClient().get(DNS_RECORD, REF)).toEqual(RECORD);
    expect(calls).toEqual([{ verb: "get", kind: "DNSRecord", code: 200, ms: expect.any(Number) }]);
  });

  test("only the API server's own NotFound is no object", async () => {
    handle = (_, response) => say(response, 404, status(404, "NotFound"));
    expect(await newClient().get(DNS_RECORD, REF)).toBeUndefined();
    await expect(newClient().delete(DNS_RECORD, REF)).resolves.toBeUndefined();
    handle = (_, response) => say(response, 404, "404 page not found\n", "text/plain");
    expect(await failure(newClient().get(DNS_RECORD, REF))).toMatchObject({ code: 404, isRetryable: false });
    expect(await failure(newClient().delete(DNS_RECORD, REF))).toMatchObject({ code: 404 });
  });

  test("apply is a forced server-side apply", async () => {
    handle = ({ url, method, headers }, response, body) => {
      expect(method).toBe("PATCH");
      expect(url).toBe(
        "/apis/vedette.dev/v1alpha1/namespaces/web/dnsrecords/shop/status?fieldManager=vedette-agent&force=true",
      );
      expect(headers["content-type"]).toBe("application/apply-patch+yaml");
      expect(JSON.parse(body)).toEqual(RECORD);
      say(response, 200, RECORD);
    };
    await newClient().apply(DNS_RECORD, RECORD, { fieldManager: "vedette-agent", subresource: "status" });
  });

  test("delete guards the uid", async () => {
    handle = (_, response, body) => {
      expect(JSON.parse(body)).toMatchObject({ preconditions: { uid: "u1" }, propagationPolicy: "Foreground" });
      say(response, 200, status(200, ""));
    };
    await newClient().delete(DNS_RECORD, REF, { uid: "u1", propagation: "Foreground" });
  });

  test("an object without the namespace that its kind needs is not sent", async () => {
    await expect(async () => newClient().get(LEASE, { name: "x" })).rejects.toThrow("Lease x: metadata.namespace");
  });
});

describe("errors", () => {
  test("name the call and quote the API server, never what was sent", async () => {
    handle = (_, response) => say(response, 403, status(403, "Forbidden", "User cannot create secrets"));
    const secret = { apiVersion: "v1", kind: "Secret", metadata: REF, data: { key: "aGlkZGVu" } };
    const error = await failure(newClient().create(SECRET, secret));
    expect(error.message).toBe("403 Forbidden: create secrets web/shop: User cannot create secrets");
    expect(JSON.stringify(error) + error.stack).not.toMatch(/aGlkZGVu|s3cr3t/);
  });

  test.each([
    [401, true],
    [403, false],
    [409, false],
    [422, false],
    [429, true],
    [500, true],
    [503, true],
  ])("%i: retryable %s", async (code, isRetryable) => {
    handle = (_, response) => say(response, code, status(code, "Why"));
    expect(await failure(newClient().get(DNS_RECORD, REF))).toMatchObject({ code, reason: "Why", isRetryable });
  });

  test("a server that wants to be left alone is heard, within bounds", async () => {
    handle = (_, response) => {
      response.writeHead(429, { "retry-after": "7" });
      response.end();
    };
    expect(await failure(newClient().get(DNS_RECORD, REF))).toMatchObject({ retryAfterMs: 7_000, reason: "NoStatus" });
    handle = (_, response) => {
      response.writeHead(503, { "retry-after": "86400" });
      response.end();
    };
    expect(await failure(newClient().get(DNS_RECORD, REF))).toMatchObject({ retryAfterMs: 60_000 });
  });

  test("a proxy's page is neither believed nor quoted", async () => {
    const page = "<html>session=abc</html>";
    handle = (_, response) => say(response, 200, page, "text/html");
    const error = await failure(newClient().get(DNS_RECORD, REF));
    expect(error).toMatchObject({ code: 0, reason: "NotJSON", isRetryable: true });
    expect(error.message).toContain("text/html");
    expect(error.message).not.toContain("session");
    handle = (_, response) => say(response, 502, page, "text/html");
    expect((await failure(newClient().get(DNS_RECORD, REF))).message).not.toContain("session");
  });

  test.each([
    ["no answer", (_: IncomingMessage, __: ServerResponse) => {}],
    ["an answer that stops", (_: IncomingMessage, response: ServerResponse) => void response.write('{"metadata":')],
  ])("%s ends at the deadline", async (_, handler) => {
    handle = handler;
    const client = newClient(undefined, 100);
    expect(await failure(client.get(DNS_RECORD, REF))).toMatchObject({ code: 0, reason: "Timeout", isRetryable: true });
    expect(calls[0]).toMatchObject({ code: 0 });
  });

  test("a body that breaks off is no object", async () => {
    handle = (_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write('{"metadata":{"name":"shop"}}', () => response.destroy());
    };
    expect(await failure(newClient().get(DNS_RECORD, REF))).toMatchObject({ code: 0, isRetryable: true });
  });

  test("nobody there", async () => {
    const client = newClient();
    await new Promise((resolve) => server.close(resolve));
    expect(await failure(client.get(DNS_RECORD, REF))).toMatchObject({ code: 0, reason: "ECONNREFUSED" });
    await new Promise<void>((resolve) => server.listen(0, resolve));
  });
});

describe("connections and credentials", () => {
  test("20 calls one after another share the pool's two connections, after errors too", async () => {
    const client = newClient();
    for (const code of Array(5).fill([200, 404, 500, 200]).flat()) {
      handle = (_, response) => say(response, code, code === 200 ? RECORD : status(code, "Why", "x".repeat(100_000)));
      await client.get(DNS_RECORD, REF).catch(() => {});
    }
    expect(connections).toBeLessThanOrEqual(2);
  });

  test("calls that begin together on a new client all succeed", async () => {
    handle = (_, response) => say(response, 200, RECORD);
    const client = newClient();
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.get(DNS_RECORD, REF)));
    expect(answers).toEqual(Array(8).fill(RECORD));
  });

  test("each call asks for the token, so that one that is renewed is used", async () => {
    let token = 0;
    const config = new KubeConfig();
    const { port } = server.address() as AddressInfo;
    config.loadFromClusterAndUser(
      { name: "c", server: `http://127.0.0.1:${port}`, skipTLSVerify: true },
      { name: "u", authProvider: { name: "turning", config: {} } },
    );
    config.addAuthenticator({
      isAuthProvider: (user) => user.authProvider?.name === "turning",
      applyAuthentication: async (_, { headers }) => {
        token += 1;
        Object.assign(headers as object, { Authorization: `Bearer ${token}` });
      },
    });
    const seen: unknown[] = [];
    handle = ({ headers }, response) => {
      seen.push(headers.authorization);
      say(response, 200, RECORD);
    };
    const client = new KubeClient(config);
    for (let call = 0; call < 20; call++) await client.get(DNS_RECORD, REF);
    expect(new Set(seen).size).toBe(20);
    expect(connections).toBeLessThanOrEqual(2);
  });

  test("a program that gives credentials is asked, and again when they have run out", async () => {
    const seen: unknown[] = [];
    handle = ({ headers }, response) => {
      seen.push(headers.authorization);
      say(response, 200, RECORD);
    };
    const past = '{"status":{"token":"\'$$\'","expirationTimestamp":"2020-01-01T00:00:00Z"}}';
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "/bin/sh", args: ["-c", `echo '${past}'`] };
    const client = newClient({ name: "u", exec });
    await client.get(DNS_RECORD, REF);
    await client.get(DNS_RECORD, REF);
    expect(seen).toEqual([expect.stringMatching(/^Bearer \d+$/), expect.stringMatching(/^Bearer \d+$/)]);
    expect(seen[0]).not.toBe(seen[1]);
  });

  test("a user with a name and password, and one who acts for another", async () => {
    const seen: IncomingMessage["headers"][] = [];
    handle = ({ headers }, response) => {
      seen.push(headers);
      say(response, 200, RECORD);
    };
    await newClient({ name: "u", username: "me", password: "pw" }).get(DNS_RECORD, REF);
    await newClient({ name: "u", token: "t", impersonateUser: "other" }).get(DNS_RECORD, REF);
    expect(seen[0]?.authorization).toBe(`Basic ${btoa("me:pw")}`);
    expect(seen[1]).toMatchObject({ authorization: "Bearer t", "impersonate-user": "other" });
  });
});

describe("lists", () => {
  const list = (names: string[], more: object = {}) => ({
    kind: "DNSRecordList",
    metadata: { resourceVersion: "9", ...more },
    items: names.map((name) => ({ metadata: { name, namespace: "web" } })),
  });

  test("come page by page, each item with its kind", async () => {
    const asked: (string | null)[] = [];
    handle = ({ url = "" }, response) => {
      const query = new URL(url, "http://x").searchParams;
      asked.push(query.get("continue"));
      expect(query.get("limit")).toBe("500");
      expect(query.get("labelSelector")).toBe("a=b");
      say(response, 200, query.has("continue") ? list(["b"]) : list(["a"], { continue: "more" }));
    };
    const { items, resourceVersion } = await newClient().list(DNS_RECORD, { labelSelector: "a=b" });
    expect(items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(["DNSRecord a", "DNSRecord b"]);
    expect([asked, resourceVersion]).toEqual([[null, "more"], "9"]);
  });

  test("a list that expires between two pages starts anew, and not for ever", async () => {
    let pages = 0;
    handle = ({ url = "" }, response) => {
      pages += 1;
      if (pages === 2) return say(response, 410, status(410, "Expired"));
      say(response, 200, url.includes("continue=") ? list(["b"]) : list([`a${pages}`], { continue: "more" }));
    };
    expect((await newClient().list(DNS_RECORD)).items.map(({ metadata }) => metadata.name)).toEqual(["a3", "b"]);
    pages = 0;
    handle = ({ url = "" }, response) => {
      pages += 1;
      if (url.includes("continue=")) return say(response, 410, status(410, "Expired"));
      say(response, 200, list(["a"], { continue: "more" }));
    };
    expect(await failure(newClient().list(DNS_RECORD))).toMatchObject({ code: 410 });
    expect(pages).toBe(6);
  });

  test.each([
    ["an error", (response: ServerResponse) => say(response, 500, status(500, "InternalError"))],
    ["HTML", (response: ServerResponse) => say(response, 200, "<html>", "text/html")],
    ["other JSON", (response: ServerResponse) => say(response, 200, { ok: true })],
    [
      "a list of another kind",
      (response: ServerResponse) => say(response, 200, { ...list(["b"]), kind: "SecretList" }),
    ],
    ["a list without version", (response: ServerResponse) => say(response, 200, { ...list(["b"]), metadata: {} })],
    ["an item without name", (response: ServerResponse) => say(response, 200, { ...list([]), items: [{}] })],
    ["a broken connection", (response: ServerResponse) => void response.destroy()],
  ])("a second page that is %s fails the whole list", async (_, answer) => {
    handle = ({ url = "" }, response) =>
      url.includes("continue=") ? answer(response) : say(response, 200, list(["a"], { continue: "more" }));
    await failure(newClient().list(DNS_RECORD));
  });
});

describe("watches", () => {
  const watching = (signal = new AbortController().signal) =>
    newClient().watch(GATEWAY, { resourceVersion: "5", timeoutSeconds: 300, signal });

  test("give events as they come, and end when they are left", async () => {
    const leaving = new AbortController();
    const closed = vi.fn();
    handle = ({ url }, response) => {
      expect(url).toBe(
        "/apis/gateway.networking.k8s.io/v1/gateways?resourceVersion=5&watch=true&allowWatchBookmarks=true&timeoutSeconds=300",
      );
      response.on("close", closed);
      response.write(
        `${JSON.stringify({ type: "ADDED", object: { metadata: { name: "a", resourceVersion: "6" } } })}\n`,
      );
    };
    const events = await watching(leaving.signal);
    await expect(
      (async () => {
        for await (const { type } of events) {
          expect(type).toBe("ADDED");
          leaving.abort();
        }
      })(),
    ).rejects.toThrow(KubeError);
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  });

  test("are refused with the API server's words", async () => {
    handle = (_, response) => say(response, 410, status(410, "Expired", "too old resource version"));
    expect(await failure(watching())).toMatchObject({ code: 410 });
  });
});
