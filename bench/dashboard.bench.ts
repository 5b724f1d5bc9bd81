import { LOG, RARE_ROWS } from '@svc/engine/test/log-rows';
import { type DashboardServer, startDashboardServer } from './support/dashboard-server.ts';
import { type Bench, interleave, type Result } from './measure.ts';
import { findPostgres } from './support/postgres.ts';

const ROWS = 1_000_000;
const ROUNDS = 7;
const PAGE = 50;
/** As the pages of the logs ask for it. */
const MONTH = 30;

/**
 * What the pages of the dashboard ask for when somebody opens them, in an account with a million rows in each log, as a user who is signed in.
 * The floor is the cheapest request of a signed-in user.
 */
export const bench: Bench = {
  name: 'dashboard',
  question: `How long does each page of the dashboard wait for its data with ${ROWS.toLocaleString('en-US')} rows in each log?`,
  async run() {
    const postgres = await findPostgres();
    try {
      return [
        ...(await onDatabase('embedded database', '')),
        ...(postgres === null ? [] : await onDatabase('PostgreSQL', postgres.url)),
      ];
    } finally {
      postgres?.stop();
    }
  },
};

async function onDatabase(name: string, postgresUrl: string): Promise<Result[]> {
  const server = await startDashboardServer(postgresUrl, { rows: ROWS });
  try {
    const floor = 'who is signed in';
    const results: Result[] = [];
    for (const [title, calls] of Object.entries(pagesOf(server))) {
      const rows = await interleave(ROUNDS, { [floor]: () => server.get('session'), ...calls });
      results.push({ title: `${title}, ${name}`, unit: 'ms', floor, rows });
    }
    return results;
  } finally {
    await server.close();
  }
}

type Calls = Readonly<Record<string, () => Promise<number>>>;

function pagesOf(server: DashboardServer): Readonly<Record<string, Calls>> {
  const { range, connectionIds } = server.log;
  const last30Days = `from=${range.from.toISOString()}&to=${range.to.toISOString()}`;
  const lastDay = `from=${new Date(range.to.getTime() - 86_400_000).toISOString()}&to=${range.to.toISOString()}`;
  const rareConnection = connectionIds.at(-1) ?? 0;
  const api =
    (path: string, rows: number | null = PAGE) =>
    () =>
      server.get(`accounts/${LOG.accountId}/api/v1${path}`, (body) => hasRows(body.data, rows));
  const requests =
    (filter: object, rows: number | null = PAGE) =>
    () =>
      server.perform('requests/list', { accountId: LOG.accountId, limit: PAGE, ...filter }, ({ result }) =>
        hasRows(result.requests, rows),
      );
  const perform = (name: string, input: object) => () => server.perform(name, input);
  const person = (email: string) => perform('persons/show', { accountId: LOG.accountId, person: email });
  const log = (path: string, rows: number | null = PAGE) => api(`${path}&limit=${PAGE}`, rows);

  return {
    Requests: {
      'first page': requests({}),
      [`last ${MONTH} days`]: requests({ since: `${MONTH}d` }),
      synced: requests({ outcome: 'synced' }),
      'duplicate, 20 rows, the oldest': requests({ outcome: 'duplicate' }, RARE_ROWS),
      'unparsed, no rows': requests({ outcome: 'unparsed' }, 0),
      'waiting, no rows': requests({ outcome: 'waiting' }, 0),
      'one connection': requests({ connectionId: LOG.busyConnectionId }),
      'one connection and duplicate': requests({ connectionId: LOG.busyConnectionId, outcome: 'duplicate' }, RARE_ROWS),
      'a connection with 20 rows': requests({ connectionId: rareConnection }, null),
      'a source with 20 rows': requests({ sourceId: LOG.rareSourceId }, RARE_ROWS),
      'a source and no rows of the outcome': requests({ sourceId: LOG.busySourceId, outcome: 'duplicate' }, 0),
    },
    Syncs: {
      'first page': log(`/syncs?${lastDay}`),
      [`last ${MONTH} days`]: log(`/syncs?${last30Days}`),
      'error, 20 rows, the oldest': log(`/syncs?${last30Days}&status=error`, RARE_ROWS),
      'warning, no rows': log(`/syncs?${last30Days}&status=warning`, 0),
      'one connection': log(`/syncs?${last30Days}&connectionId=${LOG.busyConnectionId}`),
      'a source with 20 rows': log(`/syncs?${last30Days}&sourceId=${LOG.rareSourceId}`, RARE_ROWS),
    },
    Deliveries: {
      'first page': log(`/deliveries?${lastDay}`),
      'error, 20 rows, the oldest': log(`/deliveries?${last30Days}&status=error`, RARE_ROWS),
      'a destination with 20 rows': log(`/deliveries?${last30Days}&destinationId=${LOG.rareDestinationId}`, RARE_ROWS),
    },
    'Webhook deliveries': {
      'first page': log(`/webhooks/${LOG.webhookId}/deliveries?`),
      'dead, 20 rows, the oldest': log(`/webhooks/${LOG.webhookId}/deliveries?status=DEAD`, RARE_ROWS),
      'pending, no rows': log(`/webhooks/${LOG.webhookId}/deliveries?status=PENDING`, 0),
    },
    Events: {
      'first page': log('/events?'),
      'of a type, 20 rows, the oldest': log('/events?type=sync.recovered', RARE_ROWS),
      'not delivered, 20 rows, the oldest': log('/events?delivered=false', RARE_ROWS),
    },
    People: {
      'nobody with this address': person('nobody@example.org'),
      '50 rows in each log': person(LOG.contacts.fifty),
      [`${(ROWS / 200).toLocaleString('en-US')} rows in each log`]: person(LOG.contacts.many),
    },
    Overview: {
      'ready or not': api('/account/status', null),
      'numbers of the last day': api(`/account/metrics?${lastDay}`, null),
      'hours of the last day': perform('accounts/activity', { id: LOG.accountId }),
      'requests that wait': perform('requests/list', { accountId: LOG.accountId, outcome: 'waiting', limit: 1_000 }),
      'jobs that were set aside': perform('jobs/list', { limit: 100 }),
      connections: perform('connections/list', { accountId: LOG.accountId }),
      'sources to choose from': perform('sources/list', { accountId: LOG.accountId, limit: 500 }),
    },
  };
}

function hasRows(list: unknown, rows: number | null): boolean {
  return rows === null || (Array.isArray(list) && list.length === rows);
}
