import { createMock } from '@svc/mock';
import { createClient } from '@svc/sdk';
import { expect, test } from 'vitest';
import { paintNothing } from '../src/terminal/colors.ts';
import { CONNECTION_COLUMNS } from '../src/features/resources/connections.ts';
import { DELIVERY_COLUMNS } from '../src/features/logs/deliveries.ts';
import { DESTINATION_COLUMNS } from '../src/features/resources/destinations.ts';
import { keepErrors } from '../src/features/logs/error-columns.ts';
import { EVENT_COLUMNS } from '../src/features/logs/events.ts';
import { RELAY_COLUMNS } from '../src/features/resources/relays.ts';
import { REQUEST_COLUMNS } from '../src/features/logs/requests.ts';
import { SOURCE_COLUMNS } from '../src/features/resources/sources.ts';
import { SYNC_COLUMNS } from '../src/features/logs/syncs.ts';
import { type Column, renderTable } from '../src/terminal/table.ts';
import { NOW } from './support/mock-service.ts';

const mock = createMock({ now: NOW });
const apiKey = mock.keys.osapi_demo_write;
const client = createClient({ baseUrl: 'https://sync.example.com', apiKey, fetch: mock.fetch });
const range = { from: '2025-12-16T00:00:00Z', to: NOW };

/** Renders rows as a table of this width and returns its lines, the header first. */
function linesOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number): string[] {
  const lines = renderTable(rows, columns, { width, paint: paintNothing }).trimEnd().split('\n');
  expect(lines).toHaveLength(rows.length + 1);
  return lines;
}

const TABLES: readonly (readonly [name: string, atWidth: (width: number) => Promise<string[]>, has80: string])[] = [
  [
    'connections',
    async (width) => linesOf((await client.connections.list()).connections, CONNECTION_COLUMNS, width),
    'CAPABILITIES',
  ],
  ['sources', async (width) => linesOf((await client.sources.list()).sources, SOURCE_COLUMNS, width), 'URL'],
  [
    'destinations',
    async (width) => linesOf((await client.destinations.list()).destinations, DESTINATION_COLUMNS, width),
    'URL',
  ],
  ['relays', async (width) => linesOf((await client.replyRelays.list()).replyRelays, RELAY_COLUMNS, width), 'ONLY FOR'],
  [
    'requests',
    async (width) => linesOf(await client.requests.list(range).toArray({ limit: 200 }), REQUEST_COLUMNS, width),
    'PATH',
  ],
  [
    'syncs',
    async (width) => linesOf(await client.syncs.list(range).toArray({ limit: 200 }), SYNC_COLUMNS, width),
    'RECIPIENT',
  ],
  [
    'deliveries',
    async (width) => linesOf(await client.deliveries.list(range).toArray({ limit: 200 }), DELIVERY_COLUMNS, width),
    'RECIPIENT',
  ],
  [
    'failed deliveries',
    async (width) => {
      const list = client.deliveries.list({ ...range, status: 'error' });
      return linesOf(await list.toArray({ limit: 200 }), keepErrors(DELIVERY_COLUMNS), width);
    },
    'ERROR',
  ],
  [
    'failed syncs',
    async (width) => {
      const list = client.syncs.list({ ...range, status: 'error' });
      return linesOf(await list.toArray({ limit: 200 }), keepErrors(SYNC_COLUMNS), width);
    },
    'ERROR',
  ],
  ['events', async (width) => linesOf(await client.events.list().toArray(), EVENT_COLUMNS, width), 'SUMMARY'],
];

test.each(TABLES)('%s fit into 80 columns, and show every column at 200', async (_name, atWidth, has80) => {
  const narrow = await atWidth(80);
  expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(narrow[0]).toContain(has80);

  const wide = await atWidth(200);
  const whole = await atWidth(Number.POSITIVE_INFINITY);
  expect(Math.max(...wide.map((line) => line.length))).toBeLessThanOrEqual(200);
  expect(wide[0]?.split(/ {2,}/)).toEqual(whole[0]?.split(/ {2,}/));
});
