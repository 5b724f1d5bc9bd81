import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrmRecord } from '@svc/crm';
import { backends } from '../../test/support/backends.ts';
import type { Database } from '../store/database/db.ts';
import { deleteOldCrmMarks } from '../store/crm-records.ts';
import { createCrmRecords } from './records.ts';

const NOW = new Date('2026-03-31T12:00:00.000Z');
const record = (identity: string, changes: Partial<CrmRecord> = {}): CrmRecord => ({
  identity,
  recordType: 'contacts',
  recordId: '1',
  detailsHash: null,
  ownerId: null,
  companyId: null,
  checkedAt: NOW,
  ...changes,
});

describe.each(backends)('the records of a CRM on $name', ({ isAvailable, open }) => {
  describe.skipIf(!isAvailable)('memory', () => {
    let db: Database;
    beforeAll(async () => {
      db = await open();
      await db.query(`insert into accounts (id, email, created_at) values (1, 'a@example.com', $1)`, [NOW]);
      await db.query(
        `insert into connections (id, account_id, crm, organization_id, organization_domain, created_at)
          select id, 1, 'HUBSPOT', id::text, 'example.com', $1 from generate_series(1, 2) id`,
        [NOW],
      );
    });
    afterAll(async () => {
      await db.close();
    });
    const records = (connectionId = 1) => createCrmRecords(db)(connectionId);
    const read = async (...identities: string[]) => [...(await records().read(identities))];

    test('returns what was written, and nothing of another connection', async () => {
      const full = record('email:kim@example.com', { detailsHash: 'h', ownerId: '7', companyId: '9' });
      await records().write([full]);
      await records(2).write([record('email:lee@example.com')]);
      expect(await read('email:kim@example.com', 'email:lee@example.com')).toEqual([['email:kim@example.com', full]]);
    });

    test('the last record of an identity wins, in one write and in a later one', async () => {
      await records().write([record('domain:x', { recordId: '1' }), record('domain:x', { recordId: '2' })]);
      expect(await read('domain:x')).toMatchObject([['domain:x', { recordId: '2' }]]);
      await records().write([record('domain:x', { recordId: '3', recordType: 'companies' })]);
      expect(await read('domain:x')).toMatchObject([['domain:x', { recordId: '3', recordType: 'companies' }]]);
    });

    test('forgets deleted ones', async () => {
      await records().write([record('email:a'), record('email:b')]);
      await records().delete(['email:a']);
      expect((await read('email:a', 'email:b')).map(([identity]) => identity)).toEqual(['email:b']);
    });

    test('takes identities that are longer than an index entry, and tells them apart', async () => {
      const long = (end: string) => `url:https://example.com/${'ü'.repeat(4_000)}${end}`;
      await records().write([record(long('a'), { recordId: 'a' }), record(long('b'), { recordId: 'b' })]);
      expect(await read(long('a'))).toEqual([[long('a'), record(long('a'), { recordId: 'a' })]]);
      await records().delete([long('a')]);
      expect((await read(long('a'), long('b'))).map(([, { recordId }]) => recordId)).toEqual(['b']);
    });

    test('without identities no statement is sent', async () => {
      const unused = createCrmRecords({ ...db, query: () => Promise.reject(new Error('used')) })(1);
      expect((await unused.read([])).size).toBe(0);
      await unused.write([]);
      await unused.delete([]);
    });

    test('old marks of written events are deleted, contacts are kept for good', async () => {
      const old = new Date(NOW.getTime() - 1);
      await records().write([
        record('activity:1', { checkedAt: old }),
        record('activity:2'),
        record('email:old@example.com', { checkedAt: old }),
      ]);
      await deleteOldCrmMarks(db, NOW);
      expect((await read('activity:1', 'activity:2', 'email:old@example.com')).map(([identity]) => identity)).toEqual([
        'activity:2',
        'email:old@example.com',
      ]);
    });
  });
});
