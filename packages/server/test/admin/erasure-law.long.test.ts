/** The law of `svc-server erase`: nothing of the person is left in any table, and nothing of anybody else has changed. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseContactIdentity } from '@svc/domain/contacts/contact-identity';
import { sized } from '../../../../scripts/vitest/size.ts';
import { erasePerson } from '@svc/operations/store/erasure';
import { createPersonSearch } from '@svc/operations/store/person-search';
import type { Database } from '@svc/engine/store/database/db';
import { backends } from '@svc/engine/test/backends';
import { erasedTextOf, type Named, namings, people, textOf } from '@svc/operations/test/person-spellings';

const NOW = new Date('2026-11-02T10:00:00Z');

interface Place {
  table: string;
  column: string;
  /** Columns of a row, besides that with the text. */
  row: Readonly<Record<string, unknown>>;
  isJson?: boolean;
  /** What is left of the column when the text names the person. Default: the text without the person. */
  left?: 'nothing' | 'row is gone' | 'row stays as it is';
}

const at = { created_at: NOW };
const ofConnection = { account_id: 1, connection_id: 1 };
const logged = { ...ofConnection, ...at, status: 'error', event_type: 'EMAIL_SENT', platform: 'smartlead' };
const delivered = { ...ofConnection, ...at, status: 'error', event_type: 'EMAIL_SENT', to_email: 'x' };
const event = { request_id: 0, source_id: 1, connection_id: 1, event_type: 'EMAIL_SENT', platform: 'smartlead', ...at };
const received = { ...ofConnection, ...at, source_id: 1, path: 'x' };

/** `#` stands for the number of the row. */
const PLACES: readonly Place[] = [
  { table: 'requests', column: 'body', row: { ...received, outcome: 'unparsed' }, left: 'nothing' },
  { table: 'requests', column: 'body', row: { ...received }, left: 'row stays as it is' },
  { table: 'requests', column: 'outcome_reason', row: { ...received, outcome: 'unparsed' } },
  { table: 'inbound_events', column: 'normalized', isJson: true, row: { ...event, to_email: 'x', event_key: '#' } },
  { table: 'syncs', column: 'error', isJson: true, row: { ...logged, to_email: 'x' } },
  { table: 'deliveries', column: 'error', row: { ...delivered, destination_id: 1, destination_url: 'x' } },
  {
    table: 'events',
    column: 'data',
    isJson: true,
    row: { id: 'evt #', account_id: 1, type: 'x', summary: 'x', ...at },
  },
  { table: 'events', column: 'summary', row: { id: 'evt s#', account_id: 1, type: 'x', data: '{}', ...at } },
  { table: 'jobs', column: 'last_error', row: { kind: 'x', ref: '#', fairness_key: 'x', due_at: NOW, ...at } },
  { table: 'jobs', column: 'state', isJson: true, row: { kind: 'y', ref: '#', fairness_key: 'x', due_at: NOW, ...at } },
  { table: 'audit_log', column: 'input', isJson: true, row: { at: NOW, actor: 'x', operation: 'x', outcome: 'done' } },
  {
    table: 'audit_log',
    column: 'actor',
    row: { at: NOW, input: '{}', operation: 'x', outcome: 'done' },
    left: 'row stays as it is',
  },
  {
    table: 'category_signals',
    column: 'identity',
    row: { ...ofConnection, category_name: 'x', at: NOW },
    left: 'row is gone',
  },
  { table: 'last_values', column: 'state', isJson: true, row: { connection_id: 1, identity: 'x#', updated_at: NOW } },
  { table: 'service_meta', column: 'value', row: { key: 'note #' }, left: 'row stays as it is' },
];

const storable = (text: string) => !text.includes('\u0000') && !text.includes('\\u0000') && text.isWellFormed();

interface Stored {
  place: Place;
  naming: Named;
  key: string;
}

const KEYS: Readonly<Record<string, string>> = { service_meta: 't.key', last_values: 't.identity' };
const keyOf = ({ table }: Place) => KEYS[table] ?? 't.id::text';

function storedAs({ column, isJson }: Place, text: string): string | Buffer {
  if (column === 'body') return Buffer.from(text);
  return isJson === true ? JSON.stringify({ text, other: 1 }) : text;
}

function numbered(row: Place['row'], number: number): Record<string, unknown> {
  const names = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replace('#', String(number)) : value,
  ]);
  return Object.fromEntries(names);
}

describe.each(backends)('an erasure on $name', (backend) => {
  let db: Database;
  beforeAll(async () => {
    if (backend.isAvailable) db = await backend.open();
  }, 600_000);
  afterAll(() => db?.close());

  test.skipIf(!backend.isAvailable)(
    'leaves nothing of the person, in any spelling, and changes nothing of anybody else',
    async () => {
      const rows = (person: Parameters<typeof namings>[0]) =>
        fc.array(fc.record({ naming: namings(person), place: fc.constantFrom(...PLACES) }), {
          minLength: 20,
          maxLength: 60,
        });
      const cases = people.chain((person) => rows(person).map((stored) => ({ person, stored })));
      let checked = 0;
      await fc.assert(
        fc.asyncProperty(cases, async ({ person, stored }) => {
          const expected: Stored[] = [];
          await db.transaction(async (tx) => {
            await tx.script(`set local session_replication_role = replica;
              truncate ${[...new Set(PLACES.map(({ table }) => table))].join(', ')}`);
            for (const [number, { place, naming }] of stored.entries()) {
              const text = textOf(naming);
              if (place.column !== 'body' && !storable(text)) continue;
              const columns = { ...numbered(place.row, number), [place.column]: storedAs(place, text) };
              const names = Object.keys(columns);
              const { rows: inserted } = await tx.query<{ key: string }>(
                `insert into ${place.table} as t (${names.join(', ')})
                  values (${names.map((_name, index) => `$${index + 1}`).join(', ')}) returning ${keyOf(place)} as key`,
                Object.values(columns),
              );
              expected.push({ place, naming, key: inserted[0]?.key ?? '' });
            }
          });
          const before = await contentOf(db, expected);
          const scope = { person: createPersonSearch(parseContactIdentity(person)), accountId: null, now: NOW };
          const report = await erasePerson(db, scope, { isDryRun: false });
          expect(report.failures).toEqual([]);
          const after = await contentOf(db, expected);
          for (const [index, { place, naming }] of expected.entries()) {
            checked += 1;
            const isChanged = naming.isHers && place.left !== 'row stays as it is';
            if (!isChanged) expect(after[index]).toBe(before[index]);
            else if (place.left === 'row is gone') expect(after[index]).toBeUndefined();
            else {
              const text = erasedTextOf(naming);
              const column = readColumn(after[index], place.column);
              expect(column).toEqual(place.left === 'nothing' ? null : place.isJson ? { text, other: 1 } : text);
            }
          }
          const isHersInReceipt = ({ naming, place }: Stored) =>
            naming.isHers && place.table === 'requests' && place.left === 'row stays as it is';
          expect(report.waitingRequests).toBe(expected.filter(isHersInReceipt).length);
          const again = await erasePerson(db, scope, { isDryRun: true });
          expect(again.erased).toEqual([]);
        }),
        { numRuns: sized(30), endOnFailure: true },
      );
      expect(checked).toBeGreaterThan(0);
    },
    600_000,
  );
});

function readColumn(row: string | undefined, column: string): unknown {
  const columns = JSON.parse(row ?? '{}') as Record<string, unknown>;
  return columns[column];
}

async function contentOf(db: Database, expected: readonly Stored[]): Promise<(string | undefined)[]> {
  const rowsOf = new Map<string, Map<string, string>>();
  for (const { place } of expected) {
    if (rowsOf.has(place.table)) continue;
    const { rows } = await db.query<{ key: string; row: string }>(
      `select ${keyOf(place)} as key, to_json(t)::text as row from ${place.table} t`,
    );
    rowsOf.set(place.table, new Map(rows.map(({ key, row }) => [key, row])));
  }
  return expected.map(({ place, key }) => rowsOf.get(place.table)?.get(key));
}
