import { describe, expect, it } from "vitest";
import { pick, random } from "../support/random.ts";
import { Story } from "./story.ts";

/** A probe that three regions have found in order, two of which have to agree. */
function healthy(whenSilent: "Publish" | "Freeze" = "Publish"): Story {
  const story = new Story(3, "Majority", whenSilent);
  story.rounds("ooo", "ooo");
  return story;
}

/** The same, withdrawn. */
function withdrawn(whenSilent: "Publish" | "Freeze" = "Publish"): Story {
  const story = healthy(whenSilent);
  story.rounds("ffo", "ffo", "ffo");
  return story;
}

describe("counting", () => {
  it("the verdict turns exactly at the crossing, not at the first failure", () => {
    expect(healthy().rounds("fff", "fff", "fff")).toEqual(["Healthy", "Healthy", "Unhealthy"]);
  });

  it("a new probe on a dead gateway has no verdict before the third failure", () => {
    expect(new Story(3).rounds("fff", "fff", "fff")).toEqual(["Pending", "Pending", "Unhealthy"]);
  });

  it("a new probe on a good gateway is Pending until enough regions stand at the threshold", () => {
    expect(new Story(3).rounds("ooo", "ooo")).toEqual(["Pending", "Healthy"]);
  });

  it("trouble of our own between failures neither raises nor resets the streak", () => {
    const story = healthy();
    expect(story.rounds("fff", "iii", "fff", "iii", "fff")).toEqual([
      "Healthy",
      "Healthy",
      "Healthy",
      "Healthy",
      "Unhealthy",
    ]);
  });

  it("ten times trouble of our own, in one region: the verdict is what the others say", () => {
    expect(new Set(healthy().rounds(...Array.from({ length: 10 }, () => "ooi")))).toEqual(new Set(["Healthy"]));
  });

  it("alternating good and bad checks never turn it", () => {
    expect(new Set(healthy().rounds(...Array.from({ length: 500 }, (_, n) => (n % 2 ? "ooo" : "fff"))))).toEqual(
      new Set(["Healthy"]),
    );
  });
});

describe("how many regions have to agree", () => {
  it("one region is cut off from the gateway for three minutes: healthy throughout, and said so", () => {
    const story = healthy();
    expect(new Set(story.rounds(...Array.from({ length: 6 }, () => "foo")))).toEqual(new Set(["Healthy"]));
    expect(story.advisories).toMatchObject([{ type: "Dissent", regions: ["wnam"] }]);
  });

  it("one fails 20 times, then a second starts to: unhealthy once the second crosses", () => {
    const story = healthy();
    story.rounds(...Array.from({ length: 20 }, () => "foo"));
    expect(story.advisories[0]?.message).toContain("20 failed checks in a row");
    expect(story.rounds("ffo", "ffo", "ffo")).toEqual(["Healthy", "Healthy", "Unhealthy"]);
  });

  it("five regions, three to withdraw: two keep it, three withdraw it, and one that recovers restores it", () => {
    const story = new Story(5);
    story.rounds("ooooo", "ooooo");
    expect(story.rounds("ffooo", "ffooo", "ffooo")).toEqual(["Healthy", "Healthy", "Healthy"]);
    expect(story.rounds("fffoo", "fffoo", "fffoo")).toEqual(["Healthy", "Healthy", "Unhealthy"]);
    expect(story.rounds("offoo", "offoo")).toEqual(["Unhealthy", "Healthy"]);
  });

  it("a region without IPv6 has only trouble of its own: the two others are the quorum", () => {
    const story = new Story(3);
    expect(story.rounds("ooi", "ooi")).toEqual(["Pending", "Healthy"]);
    expect(story.rounds("ffi", "ffi", "ffi")).toEqual(["Healthy", "Healthy", "Unhealthy"]);
    expect(story.rounds("ooi", "ooi")).toEqual(["Unhealthy", "Healthy"]);
  });
});

describe("silence is no fact", () => {
  it("one fails, one is fine, the third failed ten minutes ago: no quorum; the fine one stops too: no change", () => {
    const story = healthy();
    story.rounds("oof", "oof", "oof");
    story.rounds(...Array.from({ length: 20 }, () => "oo."));
    expect(story.rounds("fo.", "fo.", "fo.", "fo.")).toEqual(["Healthy", "Healthy", "Healthy", "Healthy"]);
    expect(new Set(story.rounds(...Array.from({ length: 20 }, () => "f..")))).toEqual(new Set(["Healthy"]));
    expect(story.advisories).toContainEqual(
      expect.objectContaining({ type: "InsufficientFreshRegions", regions: ["enam", "sam"] }),
    );
  });

  it("withdrawn, then all regions stop: after staleAfter it counts as healthy, by the epic's rule", () => {
    const story = withdrawn();
    expect(story.nothingFor(90)).toBe("Unhealthy");
    expect(story.nothingFor(3_600)).toBe("Unknown");
  });

  it("with Freeze it stays withdrawn, for an hour and for ever", () => {
    const story = withdrawn("Freeze");
    expect(story.nothingFor(3_600)).toBe("Unhealthy");
    expect(story.nothingFor(36_000)).toBe("Unhealthy");
  });

  it("withdrawn by two, of which one goes silent: the other still says so, and it stays", () => {
    expect(new Set(withdrawn().rounds(...Array.from({ length: 10 }, () => ".fo")))).toEqual(new Set(["Unhealthy"]));
  });

  it("withdrawn by two which both go silent: the third is all that is known, and it is fine", () => {
    const verdicts = withdrawn().rounds(...Array.from({ length: 5 }, () => "..o"));
    expect(verdicts.at(0)).toBe("Unhealthy");
    expect(verdicts.at(-1)).toBe("Healthy");
  });

  it("with Freeze their last word stands until they come back", () => {
    const story = withdrawn("Freeze");
    expect(new Set(story.rounds(...Array.from({ length: 10 }, () => "..o")))).toEqual(new Set(["Unhealthy"]));
    expect(story.rounds("o.o", "o.o")).toEqual(["Unhealthy", "Healthy"]);
  });

  it("mended while nobody looked: healthy after two good checks from one region", () => {
    const story = withdrawn();
    story.nothingFor(3_600);
    expect(story.rounds("o..", "o..")).toEqual(["Unknown", "Healthy"]);
  });

  it("still broken when they look again: unhealthy as soon as two of them say so, from their stored counts", () => {
    const story = withdrawn();
    story.nothingFor(3_600);
    expect(story.rounds("f..", ".f.")).toEqual(["Unknown", "Unhealthy"]);
  });

  it("a probe that nobody ever asked counts as healthy in the end, and with Freeze stays unjudged", () => {
    expect(new Story(3).nothingFor(90)).toBe("Pending");
    expect(new Story(3).nothingFor(96)).toBe("Unknown");
    expect(new Story(3, "Majority", "Freeze").nothingFor(3_600)).toBe("Pending");
  });
});

describe("restarts invent nothing", () => {
  it("a healthy probe, 20 restarts at random moments: healthy throughout", () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const next = random(seed);
      const story = healthy();
      for (let n = 0; n < 20; n += 1) {
        expect(story.restart()).toBe("Healthy");
        expect(story.round(pick(["ooo", "o..", ".o.", "...", "iii"], next))).toBe("Healthy");
      }
    }
  });

  it("a withdrawn one, restarted again and again while no report comes: nothing is restored", () => {
    const story = withdrawn();
    for (let n = 0; n < 50; n += 1) {
      expect(story.nothingFor(60)).toBe("Unhealthy");
      expect(story.restart()).toBe("Unhealthy");
    }
    expect(story.nothingFor(96)).toBe("Unknown");
  });
});
