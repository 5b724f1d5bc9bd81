/** Posts that are stored together keep their order, however many sources there are and whatever plan the database chooses. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import type { Database } from '@svc/engine/store/database/db';
import { RECEIVE } from '../../src/inbound/receive.sql.ts';

describe.each(backends.filter(({ isAvailable }) => isAvailable))('on $name', (backend) => {
  let db: Database;
  beforeAll(async () => {
    db = await backend.open();
    await db.script("insert into accounts (id, email, created_at) values (1, 'kim@example.com', now())");
  });
  afterAll(() => db.close());

  test.each([2, 40, 300])(
    'ids and jobs of posts to one of %i sources are in the order of the posts',
    async (sources) => {
      await db.script(`insert into connections (id, account_id, crm, organization_id, organization_domain, created_at)
        select n, 1, 'HUBSPOT', n::text, 'example.com', now() from generate_series(1, ${sources}) n on conflict do nothing;
      insert into sources (connection_id, platform, path, created_at)
        select n, 'smartlead', 'path-' || n, now() from generate_series(1, ${sources}) n on conflict do nothing;
      analyze sources; analyze connections`);
      const posts = Array.from({ length: 10 }, (_, index) => index + 1);
      const { rows } = await db.query<{ id: number; position: number }>(RECEIVE, [
        ...[posts.map(() => 'path-1'), posts.map(() => new Date()), posts.map(() => '{}'), posts.map(() => 1)],
        ...[Buffer.alloc(posts.length, '1'), posts.map(() => '00')],
      ]);
      expect(rows.toSorted((a, b) => a.id - b.id).map(({ position }) => position)).toEqual(posts);
      const jobs = await db.query<{ ref: string }>('select ref from jobs order by id desc limit 10');
      expect(jobs.rows.map(({ ref }) => Number(ref))).toEqual(rows.map(({ id }) => id).toSorted((a, b) => b - a));
    },
  );
});
