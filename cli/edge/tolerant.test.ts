import { describe, expect, it } from "vitest";
import { z } from "zod";
import { event } from "../../shared/model/event.ts";
import { overview } from "../../shared/model/overview.ts";
import { tolerant } from "./tolerant.ts";

const known = { id: 1, at: 1, type: "VerdictChanged", message: "m" };

describe("an answer of another version", () => {
  it("may have fields and words that are not known, and they stay", () => {
    const page = tolerant(z.object({ events: z.array(event) }));
    const newer = { events: [{ ...known, type: "QuotaNear", quota: 9 }], more: true };
    expect(page.parse(newer)).toEqual(newer);
  });

  it("may have them however deep", () => {
    const given = {
      at: 1,
      partitions: 1,
      role: "viewer",
      addressesHidden: false,
      records: [
        {
          rootHost: "a.test",
          state: "Splendid",
          clusters: [],
          decidedAt: 1,
          leaves: [
            {
              leaf: "192.0.2.1",
              published: true,
              reason: "Liked",
              against: { regions: ["moon"], of: 1, saw: [], x: 1 },
            },
          ],
          regions: [{ region: "moon", says: "Hm", unhealthy: 0, probes: 1, y: 1 }],
        },
      ],
      regions: [],
      clusters: [],
    };
    expect(tolerant(overview).parse(given)).toEqual(given);
  });

  it.each([[{ ...known, at: "now" }], [{ ...known, message: undefined }], [{ ...known, type: 7 }]])(
    "is refused for %j all the same",
    (given) => {
      expect(tolerant(event).safeParse(given).success).toBe(false);
    },
  );
});
