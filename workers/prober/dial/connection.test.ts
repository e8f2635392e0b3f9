import { expect, it } from "vitest";
import type { Connection } from "./connection.ts";
import { dial } from "./connection.ts";

it.each([
  ["127.0.0.1", "127.0.0.1"],
  ["2001:db8::1", "[2001:db8::1]"],
])("dials %s as %s", (address, hostname) => {
  const dialled: unknown[] = [];
  const connect = (given: unknown) => {
    dialled.push(given);
    return {} as Connection;
  };
  dial(connect, address, 8080);
  expect(dialled).toEqual([{ hostname, port: 8080 }]);
});
