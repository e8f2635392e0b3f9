import { expect, test } from "vitest";
import { KubeError } from "./errors.ts";
import { GATEWAY, isServed, SECRET } from "./kinds.ts";

const fail = (code: number) => new KubeError({ verb: "read", what: "discovery" }, { code, reason: "Why", message: "" });
const client = (answers: Record<string, unknown>) => ({
  read: async (path: string) => {
    const answer = answers[path];
    if (answer instanceof Error) throw answer;
    return answer;
  },
});
const GROUP = "/apis/gateway.networking.k8s.io/v1";
const resources = (...names: string[]) => ({ kind: "APIResourceList", resources: names.map((name) => ({ name })) });
const groups = (...versions: string[]) => ({
  kind: "APIGroupList",
  groups: [{ name: "g", versions: versions.map((groupVersion) => ({ groupVersion })) }],
});

test.each([
  ["its group lists it", { [GROUP]: resources("gateways", "gateways/status") }, true],
  ["its group lists others only", { [GROUP]: resources("httproutes") }, false],
  ["its group is unknown", { [GROUP]: fail(404), "/apis": groups("apps/v1") }, false],
  ["its group is named but not read yet", { [GROUP]: fail(404), "/apis": groups(GATEWAY.apiVersion) }, true],
])("%s", async (_, answers, expected) => {
  expect(await isServed(client(answers), GATEWAY)).toBe(expected);
});

test("a kind of the core is always served", async () => {
  expect(await isServed(client({}), SECRET)).toBe(true);
});

test.each([
  ["forbidden", { [GROUP]: fail(403) }],
  ["away", { [GROUP]: fail(0) }],
  ["a proxy's 404 on everything", { [GROUP]: fail(404), "/apis": fail(404) }],
  ["a proxy's page of JSON", { [GROUP]: { ok: true } }],
  ["a proxy's page for the groups", { [GROUP]: fail(404), "/apis": { kind: "Status" } }],
])("discovery that is %s says nothing", async (_, answers) => {
  await expect(isServed(client(answers), GATEWAY)).rejects.toThrow(KubeError);
});
