import { describe, expect, it } from "vitest";
import type { Event } from "../../shared/model/event.ts";
import { callEdge, ownCoordinators, shareOut } from "../../test/support/edge.ts";
import type { CoordinatorRpc } from "../rpc.ts";

type Page = { events: (Event & { partition: number })[]; next: string; previous: string };

const settings = ownCoordinators(3);
const read = async (query: string): Promise<Page> => (await callEdge(`/v1/events${query}`, { settings })).json();
const fault = async (query: string) => {
  const answer = await callEdge(`/v1/events${query}`, { settings });
  expect(answer.status).toBe(422);
  return (await answer.json<{ errors: { field: string; rule: string }[] }>()).errors;
};
const keys = ({ events }: Page) => events.map(({ partition, id }) => `${partition}-${id}`);

it("pages back from the newest to the first over all partitions, and on again, everything once", async () => {
  await shareOut(settings, "east", []);
  for (let count = 0; count < 9; count += 1) {
    const coordinator = settings.COORDINATOR.getByName(`${count % 3}`) as unknown as CoordinatorRpc;
    await coordinator.noteEvent({ type: "DuplicateAgent", cluster: "east", message: `${count}` });
  }
  const all = await read("");
  expect(all.events).toHaveLength(12);
  const newest = await read("?last=5");
  expect(keys(newest)).toEqual(keys(all).slice(-5));
  const older = await read(`?last=5&before=${newest.previous}`);
  const oldest = await read(`?last=5&before=${older.previous}`);
  const none = await read(`?last=5&before=${oldest.previous}`);
  expect([...keys(none), ...keys(oldest), ...keys(older), ...keys(newest)]).toEqual(keys(all));
  expect(keys(await read(`?before=${newest.previous}`))).toEqual(keys(all).slice(0, -5));
  expect(keys(await read(`?after=${older.next}`)).sort()).toEqual(keys(newest).sort());
  expect(keys(await read(`?after=${newest.next}`))).toEqual([]);
});

describe("a query", () => {
  it.each([
    ["?befor=1", "befor", "is unknown"],
    ["?last=0", "last", "from 1 to 500"],
    ["?last=501", "last", "from 1 to 500"],
    ["?last=-1", "last", "from 1 to 500"],
    ["?after=1", "after", "of an earlier page"],
    ["?before=1,2", "before", "of an earlier page"],
    ["?after=1,2,3&last=4", "last", "together"],
    ["?after=1,2,3&before=1,2,3", "before", "together"],
  ])("%s is refused for its field %s", async (query, field, rule) => {
    expect(await fault(query)).toEqual([expect.objectContaining({ field, rule: expect.stringContaining(rule) })]);
  });
});
