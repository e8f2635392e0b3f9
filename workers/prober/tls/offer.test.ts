import { describe, expect, it } from "vitest";
import { makeKeyShare } from "./key-share.ts";
import { DEFAULT_OFFER, usableGroups } from "./offer.ts";

const without =
  (broken: string): typeof makeKeyShare =>
  (group, randomBytes) => {
    const share = makeKeyShare(group, randomBytes);
    return group === broken ? { ...share, agree: () => share.publicKey } : share;
  };

describe("the groups that are offered", () => {
  it("are all of them in this runtime", () => {
    expect(usableGroups(DEFAULT_OFFER.groups)).toEqual(DEFAULT_OFFER.groups);
  });

  it("leave out one in which the runtime's own sides do not agree", () => {
    expect(usableGroups(DEFAULT_OFFER.groups, without("x25519"), new Map())).toEqual([
      "secp256r1",
      "secp384r1",
      "secp521r1",
    ]);
  });

  it("are our own trouble where none is left", () => {
    expect(() => usableGroups(["x25519"], without("x25519"), new Map())).toThrow("none of the key exchanges x25519");
  });
});
