import { expect, it } from "vitest";
import { failing, fine, LEAF, NOW, probe, record, silent, unheard } from "../../test/support/explained.ts";
import { clockIn } from "./clock.ts";
import { explainLeaf } from "./leaf.ts";
import { explainRecord } from "./record.ts";

const clock = clockIn(NOW, "UTC");
const twoOfThree = probe([failing("enam", "ConnectTimeout"), failing("weur", "ConnectTimeout"), fine("apac")]);
const step = (explained: ReturnType<typeof explainRecord>, title: string) =>
  explained.steps.find((one) => one.title === title)?.lines;

it("takes a decision step by step, from what is watched to what is in DNS", () => {
  const suspect = { type: "RegionSuspect" as const, message: "most probes of weur turned at once" };
  const flapping = { type: "Flapping" as const, message: "4 changes since 2026-11-30T11:54:31.165Z" };
  const watched = record("KeptLast", [{ ...twoOfThree, advisories: [flapping] }], { advisories: [suspect] });
  expect(explainRecord(watched, clock)).toEqual({
    rootHost: "api.example.com",
    summary: "api.example.com: 1 of 1 address published; decided at 12:04:31",
    steps: [
      { title: "Watched", lines: ["shop/api of cluster east", "minPublished 1, whenSilent Publish"] },
      {
        title: "Seen",
        lines: [`${LEAF} from enam, weur: connect timeout, 6 failures`, `${LEAF} from apac: ok, 12 successes`],
      },
      {
        title: "Verdict",
        lines: [
          `${LEAF} of east: Unhealthy since 12:04:31 (2 of 3 regions against it, 2 needed; threshold 5 failures in a row)`,
        ],
      },
      { title: "Decision", lines: [explainLeaf(watched, LEAF, clock)] },
      {
        title: "Advice",
        lines: ["RegionSuspect: most probes of weur turned at once", `Flapping: ${LEAF}: 4 changes since 11:54:31`],
      },
      { title: "In DNS", lines: [`api.example.com A: ${LEAF}`] },
    ],
  });
});

it("leaves out the steps that there is nothing of", () => {
  const bare = record("NotProbed", [], { leaves: [], endpoints: [], shares: [] });
  const explained = explainRecord(bare, clock);
  expect(explained.summary).toBe("api.example.com: nothing was decided yet");
  expect(explained.steps.map(({ title }) => title)).toEqual(["Watched"]);
});

it("says what is known of regions without a word, silent ones and those that are awaited", () => {
  const one = probe([unheard("enam"), silent(unheard("weur")), silent(fine("apac"))]);
  expect(step(explainRecord(record("Unknown", [one]), clock), "Seen")).toEqual([
    `${LEAF} from enam: nothing yet`,
    `${LEAF} from weur: silent`,
    `${LEAF} from apac: silent (last: ok, 12 successes)`,
  ]);
});

it("tells the probes of several clusters apart", () => {
  const shares = ["east", "west"].map((cluster) => ({ cluster, record: "shop/api", conditions: [] }));
  const west = probe([fine("enam")], { cluster: "west", verdict: "Healthy" });
  const explained = explainRecord(record("Healthy", [twoOfThree, west], { shares }), clock);
  expect(step(explained, "Seen")?.at(-1)).toBe(`${LEAF} of west from enam: ok, 12 successes`);
  expect(step(explained, "Verdict")?.at(-1)).toMatch(`${LEAF} of west: Healthy since`);
});

it("says of a probe that rests that it does", () => {
  const resting = { type: "Probed", status: "False" as const, reason: "SecretMissing", message: "no Secret" };
  const explained = explainRecord(record("Unknown", [probe([], { resting, verdict: "Unknown" })]), clock);
  expect(step(explained, "Verdict")).toEqual([`${LEAF} of east: Unknown since 12:04:31 (it rests)`]);
});
