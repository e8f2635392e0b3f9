/** What an object has had of its storage, in rows as they are billed; an alarm that is set counts as one. */
export interface Rows {
  read: number;
  written: number;
}

type Cursor = Pick<SqlStorageCursor<Record<string, SqlStorageValue>>, "rowsRead" | "rowsWritten">;

/** Counts from now on what is read and written through this storage. A cursor counts until it is read to its end: the last one is kept. */
export function countRows(storage: DurableObjectStorage): () => Rows {
  const counted: Rows = { read: 0, written: 0 };
  let last: Cursor | undefined;
  const settle = () => {
    counted.read += last?.rowsRead ?? 0;
    counted.written += last?.rowsWritten ?? 0;
    last = undefined;
  };
  const { sql } = storage;
  const exec = sql.exec.bind(sql) as (...given: unknown[]) => Cursor;
  const countedExec = (...given: unknown[]) => {
    settle();
    const cursor = exec(...given);
    last = cursor;
    return cursor;
  };
  Object.defineProperty(sql, "exec", { value: countedExec, configurable: true });
  const setAlarm = storage.setAlarm.bind(storage);
  const countedSetAlarm = (...given: Parameters<typeof setAlarm>) => {
    counted.written += 1;
    return setAlarm(...given);
  };
  Object.defineProperty(storage, "setAlarm", { value: countedSetAlarm, configurable: true });
  return () => {
    settle();
    return { ...counted };
  };
}
