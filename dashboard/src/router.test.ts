import { expect, it } from "vitest";
import { recordPath, routeOf } from "./router.ts";

it.each([
  ["/", { page: "overview" }],
  ["/regions", { page: "regions" }],
  ["/login", { page: "login" }],
  ["/records/api.example.com", { page: "record", host: "api.example.com" }],
  ["/records/*.example.com", { page: "record", host: "*.example.com" }],
  ["/records/%E0%A4%A", { page: "unknown" }],
  ["/records/", { page: "unknown" }],
  ["/records/a/b", { page: "unknown" }],
  ["/v1/records", { page: "unknown" }],
])("%s is %j", (path, route) => {
  expect(routeOf(path)).toEqual(route);
});

it("leads to the record that it names", () => {
  expect(routeOf(recordPath("*.example.com"))).toEqual({ page: "record", host: "*.example.com" });
});
