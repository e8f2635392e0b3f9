import { concat, u8, u16, vector16 } from "../../workers/prober/tls/bytes.ts";

/** Numbers from 0 to below `limit`. */
export type Below = (limit: number) => number;

type Mutation = (records: readonly Uint8Array[], below: Below) => Uint8Array[];

/** Octets that fell into their place at random. */
const noise = (length: number, below: Below) => Uint8Array.from({ length }, () => below(256));

const made = (type: number, body: Uint8Array) => concat(u8(type), u16(0x0303), vector16(body));

/** With the record at a place changed, into any number of them. */
function at(change: (record: Uint8Array, below: Below, all: readonly Uint8Array[]) => Uint8Array[]): Mutation {
  return (records, below) => {
    const place = below(records.length);
    return records.flatMap((record, index) => (index === place ? change(record, below, records) : [record]));
  };
}

const insert = (make: (below: Below, all: readonly Uint8Array[]) => Uint8Array): Mutation =>
  at((record, below, all) => (below(2) === 0 ? [make(below, all), record] : [record, make(below, all)]));

/** Changes the message in a record, and makes the record's length fit. */
const inside = (change: (body: Uint8Array, below: Below) => Uint8Array): Mutation =>
  at((record, below) => [made(record[0] ?? 0, change(record.subarray(5), below))]);

const withByte = (octets: Uint8Array, place: number, value: number) => {
  const changed = Uint8Array.from(octets);
  changed[place] = value;
  return changed;
};

function splice(octets: Uint8Array, below: Below, put: (taken: Uint8Array) => Uint8Array): Uint8Array {
  const from = below(octets.length + 1);
  const to = Math.min(octets.length, from + 1 + below(12));
  return concat(octets.subarray(0, from), put(octets.subarray(from, to)), octets.subarray(to));
}

function swap(records: readonly Uint8Array[], one: number, other: number): Uint8Array[] {
  return records.map((record, index) => records[index === one ? other : index === other ? one : index] ?? record);
}

/** What may befall a server's stream, by name. */
export const MUTATIONS: Record<string, Mutation> = {
  "a bit flipped": at((record, below) => {
    const place = below(record.length);
    return [withByte(record, place, (record[place] ?? 0) ^ (1 << below(8)))];
  }),
  "a bit flipped in a header": at((record, below) => {
    const place = below(Math.min(record.length, 9));
    return [withByte(record, place, (record[place] ?? 0) ^ (1 << below(8)))];
  }),
  "an octet set": at((record, below) => [withByte(record, below(record.length), below(256))]),
  "cut off": (records, below) => {
    const all = concat(...records);
    return [all.slice(0, below(all.length))];
  },
  "octets lost": (records, below) => [splice(concat(...records), below, () => new Uint8Array(0))],
  "octets added": (records, below) => [
    splice(concat(...records), below, (taken) => concat(noise(1 + below(9), below), taken)),
  ],
  "octets twice": (records, below) => [splice(concat(...records), below, (taken) => concat(taken, taken))],
  "a record's length": at((record, below) => [
    concat(record.subarray(0, 3), u16(Math.max(0, record.length - 5 + below(9) - 4)), record.subarray(5)),
  ]),
  "any length": at((record, below) => [concat(record.subarray(0, 3), u16(below(65_536)), record.subarray(5))]),
  "a record dropped": at(() => []),
  "a record twice": at((record) => [record, record]),
  "an old record again": insert((below, all) => all[below(all.length)] ?? new Uint8Array(0)),
  "two records in the other order": (records, below) => {
    const one = below(records.length);
    return swap(records, one, (one + 1) % records.length);
  },
  "records in any order": (records, below) => swap(records, below(records.length), below(records.length)),
  "all that follows dropped": (records, below) => {
    const from = below(records.length);
    return [...records.slice(0, from), ...records.slice(from + 1 + below(3))];
  },
  "a record of another type": at((record, below) => [withByte(record, 0, 19 + below(7))]),
  "a record cut in two": at((record, below) => {
    const [type, body] = [record[0] ?? 0, record.subarray(5)];
    const end = 1 + below(Math.max(1, body.length - 1));
    return [made(type, body.subarray(0, end)), made(type, body.subarray(end))];
  }),
  "two records in one": (records, below) => {
    const place = below(records.length - 1);
    const [left, right] = [records[place], records[place + 1]];
    if (left === undefined || right === undefined) return [...records];
    const both = made(left[0] ?? 0, concat(left.subarray(5), right.subarray(5)));
    return [...records.slice(0, place), both, ...records.slice(place + 2)];
  },
  "an empty record": insert((below) => made(20 + below(4), new Uint8Array(0))),
  "a record of noise": insert((below) => made(20 + below(4), noise(1 + below(64), below))),
  "an alert": insert((below) => made(21, Uint8Array.of(1 + below(2), below(128)))),
  "a ChangeCipherSpec": insert(() => made(20, u8(1))),
  "a message of noise": insert((below) => {
    const content = noise(below(40), below);
    return made(22, concat(Uint8Array.of(below(26), 0, 0, content.length), content));
  }),
  "an octet lost in a message": inside((body, below) => splice(body, below, (taken) => taken.subarray(1))),
  "an octet added to a message": inside((body, below) =>
    splice(body, below, (taken) => concat(noise(1, below), taken)),
  ),
  "a message's type or length": inside((body, below) => withByte(body, below(4), below(256))),
  "noise at the end": (records, below) => [...records, noise(1 + below(200), below)],
};
