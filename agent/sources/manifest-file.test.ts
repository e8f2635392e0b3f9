import { describe, expect, it } from "vitest";
import { formatProblem, parseManifests } from "./manifest-file.ts";

const record = (name: string, target = "192.0.2.1") => `apiVersion: vedette.dev/v1alpha1
kind: DNSRecord
metadata: { name: ${name}, namespace: shop }
spec:
  rootHost: ${name}.example.com
  endpoints:
    - { dnsName: ${name}.example.com, recordType: A, targets: [${target}] }
`;
const documents = (...texts: string[]) => texts.join("---\n");
const read = (text: string) => {
  const { records, problems, broken, unclear } = parseManifests(text, "api.yaml");
  return {
    records: records.map(({ key }) => key),
    problems: problems.map(formatProblem),
    broken: [...broken],
    unclear,
  };
};

describe("a file of manifests", () => {
  it("gives its records with their lines, and keeps the spec as it was written", () => {
    const [first, second] = parseManifests(documents(record("a"), record("b")), "api.yaml").records;
    expect(first).toMatchObject({ key: "shop/a", line: 1, spec: { rootHost: "a.example.com", minPublished: 1 } });
    expect(second).toMatchObject({ key: "shop/b", line: 9 });
    expect(first?.specInput).toEqual({
      rootHost: "a.example.com",
      endpoints: [{ dnsName: "a.example.com", recordType: "A", targets: ["192.0.2.1"] }],
    });
  });

  it("may be JSON", () => {
    const json = JSON.stringify({
      apiVersion: "vedette.dev/v1alpha1",
      kind: "DNSRecord",
      metadata: { name: "a" },
      spec: { rootHost: "a.test", endpoints: [{ dnsName: "a.test", recordType: "A", targets: ["192.0.2.1"] }] },
    });
    expect(read(json).records).toEqual(["default/a"]);
  });

  it("may hold objects of others, empty documents and comments", () => {
    const others = "apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: x }\n";
    expect(read(documents("# only a comment\n", others, record("a"), "\n"))).toEqual({
      records: ["shop/a"],
      problems: [],
      broken: [],
      unclear: false,
    });
  });

  it.each([
    [
      "an address",
      record("b", "192.0.2.300"),
      'api.yaml:15:58 shop/b spec.endpoints[0].targets[0]: "192.0.2.300" must be an IPv4 address',
    ],
    [
      "an unknown field",
      record("b").replace("spec:", "spec:\n  minPublishd: 2"),
      "api.yaml:13:16 shop/b spec.minPublishd: is not a known field",
    ],
    [
      "a missing field",
      record("b").replace("  rootHost: b.example.com\n", ""),
      "api.yaml:13:3 shop/b spec.rootHost: is required",
    ],
    [
      "a name beyond the root host",
      record("b").replace("dnsName: b.example.com", "dnsName: c.example.com"),
      'api.yaml:15:18 shop/b spec.endpoints[0].dnsName: "c.example.com" must be the rootHost b.example.com or a name under it',
    ],
    [
      "a misspelt kind",
      record("b").replace("DNSRecord", "DNSRecrod"),
      "api.yaml:9:13 shop/b apiVersion: vedette.dev/v1alpha1 DNSRecrod must be vedette.dev/v1alpha1 with kind DNSRecord: no other of vedette.dev/ is read from files",
    ],
  ])("reports %s with line, column and field, and takes the other documents", (_, wrong, problem) => {
    expect(read(documents(record("a"), wrong, record("c")))).toEqual({
      records: ["shop/a", "shop/c"],
      problems: [problem],
      broken: ["shop/b"],
      unclear: false,
    });
  });

  it("refuses by name what is no tree", () => {
    const circle = record("b").replace(
      "recordType: A, targets: [192.0.2.1]",
      "recordType: CNAME, targets: [b.example.com]",
    );
    const { problems, broken } = read(documents(record("a"), circle));
    expect(problems.join()).toMatch(/^api\.yaml:15:\d+ shop\/b spec\.endpoints\[0\]/);
    expect(broken).toEqual(["shop/b"]);
  });

  it.each([
    ["a syntax error", "spec: [1, 2\nkind: x\n"],
    ["a list of objects", "apiVersion: v1\nkind: List\nitems: []\n"],
    ["no map", "- 1\n"],
    ["no kind", "metadata: {}\n"],
    ["an alias without an anchor", "a: *b\n"],
    ["a name twice in one map", "a: 1\na: 2\n"],
  ])("with %s could be any of its documents", (_, wrong) => {
    const result = read(documents(record("a"), wrong));
    expect(result).toMatchObject({ records: ["shop/a"], unclear: true });
    expect(result.problems[0]).toMatch(/^api\.yaml:\d+:\d+ \S/);
  });

  it.each(["", "\n\n", "# nothing\n", "---\n---\n"])("that is empty (%j) is taken for half-written", (text) => {
    expect(read(text)).toMatchObject({ records: [], unclear: true });
  });

  it("does not explode over aliases", () => {
    const bomb = [
      "a: &a [x, x, x, x, x, x, x, x, x]",
      ..."bcdefghi".split("").map((name, i) => `${name}: &${name} [${`*${"abcdefgh"[i]},`.repeat(9)}]`),
    ];
    expect(read(`${bomb.join("\n")}\n`)).toMatchObject({ records: [], unclear: true });
  });
});

describe("a Secret", () => {
  const CANARY = "S3CR3T-canary";
  const secret = (rest: string) => `apiVersion: v1\nkind: Secret\nmetadata: { name: probe, namespace: shop }\n${rest}`;

  it("gives its values, decoded", () => {
    const text = secret(`data: { X-Key: ${Buffer.from("päss").toString("base64")} }\nstringData: { X-More: more }\n`);
    expect(parseManifests(text, "s.yaml").secrets).toEqual([
      { key: "shop/probe", values: { "X-Key": "päss", "X-More": "more" }, line: 1 },
    ]);
  });

  it.each([
    ["not in base64", `data: { X-Key: "${CANARY}!" }\n`],
    ["no text", `stringData: { X-Key: [${CANARY}] }\n`],
    ["a text that is no map", `stringData: ${CANARY}\n`],
    ["an alias", `stringData: { X-Key: *${CANARY} }\n`],
    ["an unclosed quote", `stringData: { X-Key: "${CANARY}\n`],
    ["a bad escape", `stringData: { X-Key: "\\${CANARY}" }\n`],
    ["a tag", `stringData: { X-Key: !${CANARY} x }\n`],
    ["a key twice", `stringData: { ${CANARY}: a, ${CANARY}: b }\n`],
    ["an unexpected end", `stringData: { X-Key: ${CANARY} }}\n`],
    ["a tab", `stringData:\n\t${CANARY}: x\n`],
    ["a block header with more in it", `stringData:\n  X-Key: |${CANARY}\n    x\n`],
    ["a tag of no known handle", `stringData: { X-Key: !e!${CANARY} x }\n`],
    ["a second colon", `stringData:\n  X-Key: ${CANARY}: ${CANARY}\n`],
  ])("never shows its values: %s", (_, rest) => {
    const { problems, secrets } = parseManifests(secret(rest), "s.yaml");
    expect(problems.length + secrets.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain("S3CR3T");
  });
});
