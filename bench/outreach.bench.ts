import type { ContactOutreachResponse } from '@svc/contract/types';
import { readOutreach } from '@svc/engine/store/outreach';
import { LOG } from '@svc/engine/test/log-rows';
import { type LongLogs, startLongLogs } from './support/long-logs.ts';
import { type Bench, interleave, type Result } from './measure.ts';
import { findPostgres } from './support/postgres.ts';

const SMALL = 10_000;
const LARGE = 1_000_000;
const ROUNDS = 15;
const MANY = LARGE / 200;

/**
 * The cost of `GET /contacts/outreach` by the number of the contact's rows, by the length of the logs, and compared
 * with its statement.
 */
export const bench: Bench = {
  name: 'outreach',
  question: `What does it cost to look a contact up in ${count(LARGE)} syncs and ${count(LARGE)} deliveries?`,
  async run() {
    const postgres = await findPostgres();
    if (!postgres) return [];
    const open: LongLogs[] = [];
    try {
      for (const rows of [SMALL, LARGE]) {
        open.push(await startLongLogs(postgres.url, { rows, logs: ['syncs', 'deliveries'] }));
      }
      const [small, large] = open;
      if (!small || !large) throw new Error('unreachable');
      return [await byRows(large), await byLength(small, large), await besideStatement(large)];
    } finally {
      for (const logs of open) await logs.close();
      postgres.stop();
    }
  },
};

async function byRows(large: LongLogs): Promise<Result> {
  const rows = await interleave(ROUNDS, {
    'an email that is not there': lookUp(large, 'email=nobody@example.org', 0),
    'an email with 1 row in each log': lookUp(large, `email=${LOG.contacts.one}`, 1),
    '50 rows': lookUp(large, `email=${LOG.contacts.fifty}`, 50),
    [`${count(MANY)} rows`]: lookUp(large, `email=${LOG.contacts.many}`, MANY),
    'a profile URL with 1 row': lookUp(large, `profileUrl=${encodeURIComponent(LOG.profiles.one)}`, 1),
    '50 rows by profile URL': lookUp(large, `profileUrl=${encodeURIComponent(LOG.profiles.fifty)}`, 50),
    [`${count(MANY)} rows by profile URL`]: lookUp(large, `profileUrl=${encodeURIComponent(LOG.profiles.many)}`, MANY),
  });
  return { title: 'GET /contacts/outreach', unit: 'ms', floor: 'an email that is not there', rows };
}

async function byLength(small: LongLogs, large: LongLogs): Promise<Result> {
  const floor = `50 rows among ${count(SMALL)}`;
  const rows = await interleave(ROUNDS, {
    [floor]: lookUp(small, `email=${LOG.contacts.fifty}`, 50),
    [`50 rows among ${count(LARGE)}`]: lookUp(large, `email=${LOG.contacts.fifty}`, 50),
  });
  return { title: 'the same contact in a short and in a long log', unit: 'ms', floor, rows };
}

async function besideStatement(large: LongLogs): Promise<Result> {
  const floor = 'its statement, 50 rows';
  const statement = (email: string) => () =>
    large.statement((db) =>
      readOutreach(db, large.access, {
        emailKeys: [email],
        profileKeys: [],
        categoryKeys: { emails: [email], profiles: [] },
      }),
    );
  const rows = await interleave(ROUNDS, {
    [floor]: statement(LOG.contacts.fifty),
    'GET, 50 rows': lookUp(large, `email=${LOG.contacts.fifty}`, 50),
    [`its statement, ${count(MANY)} rows`]: statement(LOG.contacts.many),
    [`GET, ${count(MANY)} rows`]: lookUp(large, `email=${LOG.contacts.many}`, MANY),
  });
  return { title: 'beside its statement alone', unit: 'ms', floor, rows };
}

/** @param events number that the answer must count: one per payload, although it is in both logs */
function lookUp(logs: LongLogs, query: string, events: number): () => Promise<number> {
  return () =>
    logs.get(`/contacts/outreach?${query}`, (body) => (body as ContactOutreachResponse).summary.totalEvents === events);
}

function count(rows: number): string {
  return rows.toLocaleString('en-US');
}
