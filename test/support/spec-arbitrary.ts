import fc from "fast-check";
import type { healthCheckFields } from "../../shared/model/health-check-fields.ts";
import { REGIONS } from "../../shared/model/region.ts";

/*
 * Specs as people may write them, in every spelling that the schemas take. Most are in order; those that are not are for the
 * schemas to refuse.
 */
const LABELS = ["a", "api", "x-1", "3", "xn--bcher-kva", "bücher", "mÜnchen", "ﬀ", "ΑΒΓ", "a".repeat(63)];
const APEXES = ["example.com", "bücher.example", "xn--bcher-kva.example", "x.test"];

const cased = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((isUpper) => [...text].map((letter, at) => (isUpper[at] ? letter.toUpperCase() : letter)).join(""));

const spelled = (name: fc.Arbitrary<string>) =>
  fc.tuple(fc.oneof(name, name.chain(cased)), fc.constantFrom("", "", ".")).map(([text, dot]) => text + dot);

const under = (apex: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.array(fc.constantFrom(...LABELS), { maxLength: 2 }), apex)
    .map(([labels, name]) => [...labels, name].join("."));
const maybeWildcard = (name: fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom("", "", "*."), name).map((parts) => parts.join(""));

const host = spelled(under(fc.constantFrom(...APEXES)));

const ipv6 = fc.oneof(
  fc.ipV6(),
  fc.ipV6().map((address) => address.toUpperCase()),
  fc.ipV4().map((address) => `::ffff:${address}`),
  fc.constantFrom("::", "2001:db8::00001", "0:0:0:0:0:0:0:1", "::FFFF:c000:221"),
);

const note = fc.record({
  name: fc.constantFrom("aws/weight", "aws/geolocation-country-code", "x"),
  value: fc.constantFrom("1", "DE", "*", "ü"),
});

const endpointAt = (dnsName: fc.Arbitrary<string>) =>
  fc.oneof(
    ...[
      { recordType: "A", target: fc.ipV4(), most: 4 },
      { recordType: "AAAA", target: ipv6, most: 4 },
      { recordType: "CNAME", target: host, most: 1 },
    ].map(({ recordType, target, most }) =>
      fc.record(
        {
          dnsName,
          recordType: fc.constant(recordType),
          targets: fc.array(target, { minLength: 1, maxLength: most }),
          recordTTL: fc.integer({ min: 1, max: 86_400 }),
          setIdentifier: fc.string({ unit: "grapheme", maxLength: 130 }),
          labels: fc.dictionary(fc.string(), fc.string({ unit: "binary" }), { maxKeys: 3 }),
          providerSpecific: fc.array(note, { maxLength: 2 }),
        },
        { requiredKeys: ["dnsName", "recordType", "targets"] },
      ),
    ),
  );

const duration = fc.oneof(
  fc.integer({ min: 1, max: 90 }).map((seconds) => `${seconds}s`),
  fc.integer({ min: 100, max: 9_000 }).map((milliseconds) => `${milliseconds}ms`),
  fc.tuple(fc.nat(59), fc.nat(59)).map(([minutes, seconds]) => `${minutes}m${seconds}s`),
  fc.constantFrom("1h", "0h1m0s", "0000030s", "1m0s0ms", "2m", "24h"),
);
const statuses = fc
  .tuple(fc.integer({ min: 200, max: 599 }), fc.integer({ min: 0, max: 99 }))
  .map(([from, more]) => (more === 0 ? `${from}` : `${from}-${Math.min(from + more, 599)}`));

/** Most with a protocol's own fields only: two checks of three would otherwise be refused. */
const healthCheck = fc
  .record(
    {
      protocol: fc.constantFrom("HTTPS", "HTTP", "TCP"),
      port: fc.integer({ min: 1, max: 65_535 }),
      path: fc.constantFrom("/", "/healthz?a=b", `/${"~".repeat(2047)}`),
      host,
      interval: fc.constantFrom("1s", "30s", "1m30s", "1h", "0h0m10s"),
      confirmInterval: fc.oneof(duration, fc.constantFrom("1s", "3s")),
      timeout: fc.oneof(duration, fc.constantFrom("100ms", "1s", "0m1s")),
      failureThreshold: fc.integer({ min: 0, max: 100 }),
      successThreshold: fc.integer({ min: 1, max: 100 }),
      expectedStatuses: fc.array(statuses, { minLength: 1, maxLength: 20 }),
      expectedBody: fc.string({ unit: "grapheme", minLength: 1, maxLength: 1024 }),
      addressPolicy: fc.constantFrom("Any", "All"),
      additionalHeadersRef: fc.record({ name: fc.constantFrom("headers", "h".repeat(253)) }),
      allowHeadersInCleartext: fc.boolean(),
      allowInsecureCertificate: fc.boolean(),
      regions: fc.shuffledSubarray([...REGIONS], { minLength: 1 }),
      quorum: fc.oneof(fc.constantFrom("Any", "Majority", "All"), fc.integer({ min: 1, max: 11 })),
      staleAfter: fc.oneof(duration, fc.constantFrom("24h", "3h", "2h5m")),
    } satisfies Record<keyof typeof healthCheckFields.shape, fc.Arbitrary<unknown>>,
    { requiredKeys: [] },
  )
  .map((check) => (check.protocol === "TCP" ? { protocol: "TCP", port: check.port, interval: check.interval } : check));

const published = {
  minPublished: fc.oneof(
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 1, max: 100 }).map((part) => `${part}%`),
  ),
  whenSilent: fc.constantFrom("Publish", "Freeze"),
  healthCheck,
};

/** The spec of a `DNSRecord`. */
export const recordSpecInput = fc.constantFrom(...APEXES).chain((apex) =>
  fc.record(
    {
      rootHost: spelled(maybeWildcard(fc.constant(apex))),
      endpoints: fc.array(endpointAt(spelled(maybeWildcard(under(fc.constant(apex))))), { minLength: 1, maxLength: 5 }),
      ...published,
    },
    { requiredKeys: ["rootHost", "endpoints"] },
  ),
);

/** The spec of a `DNSHealthCheckPolicy`. */
export const policySpecInput = fc.record(
  {
    targetRef: fc.record(
      {
        group: fc.constant("gateway.networking.k8s.io"),
        kind: fc.constant("Gateway"),
        name: fc.constantFrom("shop", "a.b-c"),
        sectionName: fc.constantFrom("https", "a.b"),
      },
      { requiredKeys: ["name"] },
    ),
    recordTTL: fc.integer({ min: 1, max: 86_400 }),
    weight: fc.integer({ min: 0, max: 255 }),
    ...published,
  },
  { requiredKeys: ["targetRef"] },
);
