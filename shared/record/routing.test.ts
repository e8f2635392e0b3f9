import { expect, it } from "vitest";
import { plain } from "../../test/support/rules.ts";
import { type Routing, routingOf } from "./routing.ts";

const set = (setIdentifier: string | undefined, ...properties: [string, string][]) => ({
  ...plain("x.test", "A", "203.0.113.1"),
  ...(setIdentifier !== undefined && { setIdentifier }),
  providerSpecific: properties.map(([name, value]) => ({ name, value })),
});

it.each<[string, ReturnType<typeof set>, Routing]>([
  ["no set identifier", set(undefined, ["weight", "5"]), { kind: "Plain" }],
  ["an empty one", set("", ["weight", "5"]), { kind: "Plain" }],
  ["weight", set("s", ["weight", "120"]), { kind: "Weighted", weight: 120 }],
  ["aws/weight", set("s", ["aws/weight", "0"]), { kind: "Weighted", weight: 0 }],
  ["geo-code", set("s", ["geo-code", "GEO-EU"]), { kind: "Geo", code: "GEO-EU", isDefault: false }],
  ["country", set("s", ["aws/geolocation-country-code", "DE"]), { kind: "Geo", code: "DE", isDefault: false }],
  ["continent", set("s", ["aws/geolocation-continent-code", "EU"]), { kind: "Geo", code: "EU", isDefault: false }],
  ["default", set("s", ["aws/geolocation-country-code", "*"]), { kind: "Geo", code: "*", isDefault: true }],
  ["other properties", set("s", ["alias", "true"], ["geo-code", "*"]), { kind: "Geo", code: "*", isDefault: true }],
  ["nothing that routes", set("s", ["alias", "true"]), { kind: "Set" }],
])("%s", (_, endpoint, routing) => {
  expect(routingOf(endpoint)).toEqual(routing);
});
