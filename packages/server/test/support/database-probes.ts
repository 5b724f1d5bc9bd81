/** Records or delays the database statements of a server. */
import type { Db } from '@svc/engine/store/database/db';
import type { TestServer } from './harness.ts';

/** Records every statement from now on. */
export function recordStatements({ db }: TestServer): { statements: string[]; stop(): void } {
  const statements: string[] = [];
  const { query, script, transaction } = db;
  const recording = (handle: Db): Db => ({
    query: (statement, values) => {
      statements.push(typeof statement === 'string' ? statement : statement.text);
      return handle.query(statement, values);
    },
    script: (sql) => {
      statements.push(sql);
      return handle.script(sql);
    },
  });
  Object.assign(db, recording({ query, script }), {
    transaction: <T>(work: (tx: Db) => Promise<T>) => {
      statements.push('begin', 'commit');
      return transaction((tx) => work(recording(tx)));
    },
  });
  return { statements, stop: () => void Object.assign(db, { query, script, transaction }) };
}

/** Delays the next use of the database until it is released. */
export function holdBack({ db }: TestServer): { asked: Promise<void>; release(): void } {
  const { query, transaction } = db;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    const hold = async () => {
      Object.assign(db, { query, transaction });
      resolve();
      await released;
    };
    db.query = (statement, values) => hold().then(() => query(statement, values));
    db.transaction = (work) => hold().then(() => transaction(work));
  });
  return { asked, release };
}
