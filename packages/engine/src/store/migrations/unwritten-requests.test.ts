/** The indexes of requests that brought nothing to write, in a log that has months already. */
import { expect, onTestFinished, test } from 'vitest';
import { backends } from '../../../test/support/backends.ts';
import type { Database } from '../database/db.ts';
import { listPartitions, makeMonths } from '../log-months.ts';
import { migration0043 } from './0043-unwritten-requests.ts';
import { finishMigrating, migrate } from './migrate.ts';

const NOW = new Date('2026-03-15T12:00:00.000Z');

/** Valid indexes of the log and of its months, without those of all of them. */
async function indexesOf(db: Database): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select i.indrelid::regclass || ' ' || substring(pg_get_indexdef(i.indexrelid) from '[(].*') as name
      from pg_index i where i.indisvalid and pg_get_indexdef(i.indexrelid) like '%outcome = ANY%' order by 1`,
  );
  return rows.map(({ name }) => name);
}

for (const { name, isAvailable, openBlank } of backends) {
  test.skipIf(!isAvailable)(
    `${name}: each month gets them, and an interrupted run goes on`,
    async () => {
      const db = await openBlank();
      onTestFinished(() => db.close());
      await migrate(db, NOW);
      if (db.backend === 'postgres') await finishMigrating(db, () => NOW);
      await makeMonths(db, 'requests', NOW);
      const expected = await indexesOf(db);
      const partitions = await listPartitions(db, 'requests');
      expect(partitions.length).toBeGreaterThan(3);
      expect(expected).toHaveLength(3 * (partitions.length + 1));

      // As the schema before it, in which an interrupted run has made the first index of a month.
      await db.script(`
        drop index requests_unwritten_by_source, requests_unwritten_by_connection, requests_unwritten_by_account;
        create index requests_unread_by_source on requests (source_id, outcome, created_at, id)
          where outcome in ('unparsed', 'ignored');
        create index requests_unread_by_connection on requests (connection_id, outcome, created_at, id)
          where outcome in ('unparsed', 'ignored');
        create index ${partitions[1]?.name}_unwritten_by_source on ${partitions[1]?.name} (source_id, outcome, created_at, id)
          where outcome in ('unparsed', 'ignored', 'duplicate');
        delete from schema_migrations where version = ${migration0043.version};
        delete from migration_steps where version = ${migration0043.version}`);
      const applied = await (db.backend === 'postgres'
        ? finishMigrating(db, () => NOW, { isForced: true })
        : migrate(db, NOW));
      expect(applied).toEqual([migration0043.version]);
      expect(await indexesOf(db)).toEqual(expected);
    },
    180_000,
  );
}
