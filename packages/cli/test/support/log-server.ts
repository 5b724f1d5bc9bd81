import { createServer } from 'node:http';
import { LIMITS } from '@svc/contract/limits';
import { meResponseSchema, syncPageSchema } from '@svc/contract/schemas';
import type { Sync } from '@svc/contract/types';
import { createSync, ME, NOW_MS } from './contract-answers.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface LogServer {
  readonly url: string;
  /** Covers all rows. */
  readonly range: readonly ['--from', string, '--to', string];
  readonly pagesRequested: () => number;
  close(): Promise<void>;
}

/**
 * Starts a server with a log of any length, generated on request and spread evenly over `days`. Three rows share each
 * instant, so pages, windows and days begin in the middle of an instant.
 */
export async function startLogServer({ rows, days }: { rows: number; days: number }): Promise<LogServer> {
  const step = Math.floor((days * DAY_MS) / rows);
  /** Index 0 is the newest row. */
  const instantOf = (index: number) => NOW_MS - Math.floor(index / 3) * 3 * step;
  const rowAt = (index: number): Sync =>
    createSync(rows - index, {
      createdAt: new Date(instantOf(index)).toISOString(),
      toEmail: index % 7 === 0 ? `=zoë "${index}"@example.com` : `contact${index}@example.com`,
      ...(index % 10 === 0
        ? { status: 'error', error: { code: 'VALIDATION', message: `line ${index}\n, and the next` } }
        : {}),
    });
  /** Returns the index of the first row that is not newer. */
  function indexOf(ms: number): number {
    let index = Math.max(0, Math.floor((NOW_MS - ms) / step / 3) * 3 - 3);
    while (index < rows && instantOf(index) > ms) index += 1;
    return index;
  }
  let requested = 0;

  function page(query: URLSearchParams): unknown {
    const [fromMs, toMs] = [Date.parse(query.get('from') ?? ''), Date.parse(query.get('to') ?? '')];
    if (!(toMs - fromMs <= LIMITS.dateRangeMaxMs)) throw new Error('not a range');
    const limit = Number(query.get('limit'));
    const cursor = query.get('cursor');
    const start = cursor === null ? indexOf(toMs) : Number(cursor);
    const data: Sync[] = [];
    let index = start;
    for (; index < rows && data.length < limit && instantOf(index) >= fromMs; index += 1) data.push(rowAt(index));
    const hasMore = index < rows && instantOf(index) >= fromMs;
    return { data, hasMore, nextCursor: hasMore ? String(index) : null };
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const isMe = url.pathname === '/api/v1/me';
    if (!isMe) requested += 1;
    const body = isMe ? meResponseSchema.parse(ME) : page(url.searchParams);
    // Checking each page would take longer than creating it.
    if (!isMe && requested % 50 === 1) syncPageSchema.parse(body);
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    range: ['--from', new Date(NOW_MS - days * DAY_MS).toISOString(), '--to', new Date(NOW_MS).toISOString()],
    pagesRequested: () => requested,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
