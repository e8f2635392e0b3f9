import type { Account } from "./account.ts";

/** The object's storage, with what is read and written by its cursors counted, and alarms as a row each. */
export function countedStorage(storage: DurableObjectStorage, account: Account): DurableObjectStorage {
  const sql = countedSql(storage.sql, account);
  const one: Partial<Record<string, unknown>> = {
    sql,
    setAlarm: (at: number | Date) => {
      account.wrote("alarm", 1);
      return storage.setAlarm(at);
    },
    deleteAlarm: () => {
      account.wrote("alarm", 1);
      return storage.deleteAlarm();
    },
    getAlarm: () => {
      account.counts.rowsRead += 1;
      return storage.getAlarm();
    },
  };
  return over(storage, one);
}

function countedSql(sql: SqlStorage, account: Account): SqlStorage {
  const exec = (query: string, ...bindings: unknown[]) => {
    const cursor = sql.exec(query, ...bindings);
    account.query(query, cursor);
    return cursor;
  };
  return over(sql, { exec });
}

/** Like the original, but for what is put over it. */
function over<Original extends object>(original: Original, own: Partial<Record<string, unknown>>): Original {
  return new Proxy(original, {
    get(target, key) {
      if (typeof key === "string" && key in own) return own[key];
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
