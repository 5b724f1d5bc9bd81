/** People of a connection are looked up, however many it has. */
import { NO_LAST_VALUES } from '@svc/domain/policy/last-values';
import { expect, test } from 'vitest';
import { anyBackend } from '../../test/support/backends.ts';
import { countLastValues } from './last-values.ts';
import type { Database, Db } from './database/db.ts';

const PEOPLE = 5_000;
const NOW = new Date('2026-03-01T12:00:00Z');

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

function rowsRead(plan: Plan): number {
  const own = plan['Relation Name'] === 'last_values' ? plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) : 0;
  return own * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0);
}

test('only the people of the events are read', async () => {
  const db = await anyBackend.open();
  await db.script(`
    insert into accounts (id, email, created_at) values (1, 'one@example.org', now());
    insert into connections (id, account_id, crm, organization_id, organization_domain, created_at)
      values (1, 1, 'HUBSPOT', '1', 'one.example', now());
    insert into last_values (connection_id, identity, state, merged_into, updated_at)
      select 1, 'kim' || n || '@example.org', '{"counts": {}, "registers": {}}', null, now() from generate_series(1, ${PEOPLE}) n;
    insert into last_values values (1, 'https://www.linkedin.com/in/kim', '{"counts": {}, "registers": {}}', 'kim7@example.org', now());
    analyze last_values`);
  const plans: Plan[] = [];
  const url = 'https://www.linkedin.com/in/kim';
  const event = { id: 1, toEmail: url, email: null, profileUrl: url, state: NO_LAST_VALUES };
  await countLastValues(explaining(db, plans), 1, [event], NOW);
  expect(plans).toHaveLength(1);
  expect(plans.reduce((sum, plan) => sum + rowsRead(plan), 0)).toBeLessThan(10);
  await db.close();
});

/** Also explains the look-up of people. */
function explaining(db: Database, plans: Plan[]): Database {
  const explained = (tx: Db): Db => ({
    script: (text) => tx.script(text),
    query: async (statement, values) => {
      if (typeof statement !== 'string' && statement.name === 'last-values-people') {
        const text = `explain (analyze, format json) ${statement.text}`;
        const { rows } = await tx.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(text, values);
        plans.push(...rows.map((row) => row['QUERY PLAN'][0].Plan));
      }
      return tx.query(statement, values);
    },
  });
  return { ...db, transaction: (use, options) => db.transaction((tx) => use(explained(tx)), options) };
}
