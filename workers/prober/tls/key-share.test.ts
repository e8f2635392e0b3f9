import { describe, expect, test } from "vitest";
import { makeKeyShare } from "./key-share.ts";
import { GROUPS } from "./parameters.ts";

const LENGTHS = { x25519: 32, secp256r1: 65, secp384r1: 97, secp521r1: 133 } as const;

describe.each(Object.keys(GROUPS) as (keyof typeof GROUPS)[])("%s", (group) => {
  test("both sides agree, each time on another secret", () => {
    const [own, peer, other] = [makeKeyShare(group), makeKeyShare(group), makeKeyShare(group)];
    expect(own.publicKey).toHaveLength(LENGTHS[group]);
    expect(own.agree(peer.publicKey)).toEqual(peer.agree(own.publicKey));
    expect(own.agree(peer.publicKey)).not.toEqual(own.agree(other.publicKey));
  });

  test("a private key that is given is used", () => {
    const [once, again] = [1, 2].map(() => makeKeyShare(group, (length) => new Uint8Array(length).fill(1)));
    expect(once?.publicKey).toEqual(again?.publicKey);
  });

  test("what is no key is refused, and spoils nothing after it", () => {
    const own = makeKeyShare(group);
    const length = LENGTHS[group];
    for (const bad of [0, 1, length - 1, length, length + 1].map((each) => new Uint8Array(each))) {
      expect(() => own.agree(bad)).toThrow(/key share.*illegal_parameter/);
    }
    const peer = makeKeyShare(group);
    expect(own.agree(peer.publicKey)).toEqual(peer.agree(own.publicKey));
  });
});
