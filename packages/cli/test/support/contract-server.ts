import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LIMITS } from '@svc/contract/limits';
import {
  accountStatusResponseSchema,
  connectionListSchema,
  errorBodySchema,
  healthLiveSchema,
  healthReadySchema,
  meResponseSchema,
  sourceListSchema,
  syncMetricsSchema,
  syncPageSchema,
  syncSchema,
} from '@svc/contract/schemas';
import type { Sync } from '@svc/contract/types';
import { ACCOUNT_STATUS, CONNECTIONS, ME, SOURCES } from './contract-answers.ts';

export const API_KEY = 'osapi_test_4f9c2b7e1a';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

/** Replaces the usual answer; `reset` closes the connection in the middle of the body. */
export type Reaction = Answer | 'reset' | ((url: URL) => Answer | 'reset' | null);

export interface ContractServer {
  readonly url: string;
  /** Requests so far, as `GET /path?query`. */
  readonly requests: string[];
  /** Keys that clients have sent. */
  readonly keys: Set<string>;
  /** By path. */
  readonly reactions: Map<string, Reaction>;
  close(): Promise<void>;
}

export interface ContractWorld {
  /** Newest first. */
  readonly syncs?: readonly Sync[];
  readonly status?: unknown;
}

/**
 * Starts a server on loopback that implements the part of the contract that these tests need. Its answers are
 * checked against the contract's schemas.
 */
export async function startContractServer(world: ContractWorld = {}): Promise<ContractServer> {
  const requests: string[] = [];
  const keys = new Set<string>();
  const reactions = new Map<string, Reaction>();
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const key = request.headers.authorization?.replace(/^Bearer /, '');
    if (key !== undefined) keys.add(key);
    const url = new URL(request.url ?? '/', 'http://localhost');
    const found = reactions.get(url.pathname);
    const reaction = typeof found === 'function' ? found(url) : (found ?? null);
    send(request, response, reaction ?? route(url, key, world));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    keys,
    reactions,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let requestCount = 0;

function send(request: IncomingMessage, response: ServerResponse, reaction: Answer | 'reset'): void {
  requestCount += 1;
  if (reaction === 'reset') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"data": [');
    setImmediate(() => request.socket.destroy());
    return;
  }
  const isText = typeof reaction.body === 'string';
  response.writeHead(reaction.status, {
    'content-type': isText ? 'text/html' : 'application/json; charset=utf-8',
    'Service-Request-Id': `req-${requestCount}`,
    ...reaction.headers,
  });
  response.end(isText ? reaction.body : JSON.stringify(reaction.body));
}

export function refusal(status: number, message: string, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: errorBodySchema.parse({ statusCode: status, message, error: 'Refused' }) };
}

function ok(schema: { parse(value: unknown): unknown }, body: unknown): Answer {
  return { status: 200, body: schema.parse(body) };
}

function route(url: URL, key: string | undefined, { syncs = [], status = ACCOUNT_STATUS }: ContractWorld): Answer {
  if (url.pathname === '/health/live') return ok(healthLiveSchema, { status: 'ok' });
  if (url.pathname === '/health/ready') {
    return ok(healthReadySchema, { status: 'ok', checks: { database: 'ok', queue: 'ok' } });
  }
  if (key !== API_KEY) return refusal(401, 'Invalid API key', { 'WWW-Authenticate': 'Bearer realm="api"' });
  switch (url.pathname) {
    case '/api/v1/me':
      return ok(meResponseSchema, ME);
    case '/api/v1/account/status':
      return ok(accountStatusResponseSchema, status);
    case '/api/v1/connections':
      return ok(connectionListSchema, { connections: CONNECTIONS });
    case '/api/v1/sources':
      return ok(sourceListSchema, { sources: SOURCES });
    case '/api/v1/syncs':
      return isRange(url) ? ok(syncPageSchema, pageOf(inRange(syncs, url), url)) : BAD_RANGE;
    case '/api/v1/syncs/metrics': {
      const counts = { success: 0, warning: 0, error: 0 };
      for (const sync of inRange(syncs, url)) counts[sync.status] += 1;
      return isRange(url) ? ok(syncMetricsSchema, counts) : BAD_RANGE;
    }
  }
  const id = /^\/api\/v1\/syncs\/(.+)$/.exec(url.pathname)?.[1];
  if (id === undefined) return refusal(404, `Cannot GET ${url.pathname}`);
  const sync = syncs.find((candidate) => String(candidate.id) === id);
  return sync === undefined ? refusal(404, `Sync ${id} not found`) : ok(syncSchema, sync);
}

const BAD_RANGE = refusal(400, 'from and to must be ISO-8601 and at most 31 days apart');

function isRange(url: URL): boolean {
  const span = Date.parse(url.searchParams.get('to') ?? '') - Date.parse(url.searchParams.get('from') ?? '');
  return span >= 0 && span <= LIMITS.dateRangeMaxMs;
}

function inRange(syncs: readonly Sync[], url: URL): Sync[] {
  const query = url.searchParams;
  const from = query.get('from') ?? '';
  const to = query.get('to') ?? '';
  const matches = (name: string, value: number | string | null) => [null, String(value)].includes(query.get(name));
  return syncs.filter(
    ({ createdAt, status, sourceId, connectionId }) =>
      createdAt >= from &&
      createdAt <= to &&
      matches('status', status) &&
      matches('sourceId', sourceId) &&
      matches('connectionId', connectionId),
  );
}

/** Returns a page. Every third page is short and every fifth empty, which the service's scan cap can cause. */
function pageOf(rows: readonly Sync[], url: URL): unknown {
  const limit = Number(url.searchParams.get('limit') ?? 100);
  const [start = 0, page = 1] = (url.searchParams.get('cursor') ?? '0/1').split('/').map(Number);
  const length = page % 5 === 0 ? 0 : page % 3 === 0 ? Math.ceil(limit / 2) : limit;
  const hasMore = start + length < rows.length;
  return {
    data: rows.slice(start, start + length),
    hasMore,
    nextCursor: hasMore ? `${start + length}/${page + 1}` : null,
  };
}
