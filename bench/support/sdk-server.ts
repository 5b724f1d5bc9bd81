/**
 * Serves prepared answers over node:http in its own process: a log of syncs of any length, and single syncs. It does as
 * little as possible, so that the cost of a client shows. Prints its URL; the number of rows is part of the base URL,
 * `URL/ROWS`.
 */
import { createServer } from 'node:http';
import type { Sync } from '@svc/contract/types';
import { encodeCursor } from '@svc/domain/requests/cursor';
import { answerLines } from './process.ts';

const PAGE = 500;
/** Pages with different rows; afterwards they repeat under other cursors. */
const PREPARED_PAGES = 20;
const NEWEST_MS = Date.UTC(2026, 2, 31, 12);

const pages = Array.from({ length: PREPARED_PAGES }, (_, page) =>
  Buffer.from(`{"data":${JSON.stringify(Array.from({ length: PAGE }, (_row, row) => sync(page * PAGE + row + 1)))},`),
);
const single = Buffer.from(JSON.stringify(sync(1)));
const cursors: string[] = [];
const pageOfCursor = new Map<string, number>();

const server = createServer((request, response) => {
  const [, rows = '', list] = /^\/(\d+)\/api\/v1\/syncs(\?|\/\d+$)/.exec(request.url ?? '') ?? [];
  const body = list === '?' ? page(Number(rows), request.url ?? '') : list === undefined ? null : single;
  response.writeHead(body === null ? 400 : 200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body?.length ?? 0,
    'Service-Request-Id': 'req_bench',
  });
  response.end(body ?? '');
}).listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  answerLines(
    `http://127.0.0.1:${address.port}`,
    async (line) => line,
    () => server.closeAllConnections(),
  );
});

/** Returns null for an unknown cursor or page size. */
function page(rows: number, url: string): Buffer | null {
  if (!url.includes(`limit=${PAGE}`)) return null;
  const cursor = /[?&]cursor=([^&]+)/.exec(url)?.[1];
  const index = cursor === undefined ? 0 : pageOfCursor.get(cursor);
  const data = pages[(index ?? 0) % PREPARED_PAGES];
  if (index === undefined || data === undefined) return null;
  const next = (index + 1) * PAGE < rows ? JSON.stringify(cursorOf(index + 1)) : 'null';
  return Buffer.concat([data, Buffer.from(`"hasMore":${next !== 'null'},"nextCursor":${next}}`)]);
}

function cursorOf(index: number): string {
  while (cursors.length <= index) {
    const cursor = encodeCursor({
      rows: 'sync',
      createdAt: new Date(NEWEST_MS - cursors.length),
      id: cursors.length + 1,
    });
    pageOfCursor.set(cursor, cursors.length);
    cursors.push(cursor);
  }
  return cursors[index] ?? '';
}

function sync(id: number): Sync {
  return {
    id,
    status: 'success',
    connectionId: 1,
    sourceId: 11,
    eventType: 'EMAIL_SENT',
    toEmail: `contact-${id}@example.com`,
    platform: 'smartlead',
    payloadId: 500_000 + id,
    error: null,
    createdAt: new Date(NEWEST_MS - id * 1_000).toISOString(),
  };
}
