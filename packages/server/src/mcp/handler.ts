/** What `/mcp` loads at its first call: the protocol and the tools. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { pipeline } from 'node:stream/promises';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createPlanBook } from '@svc/mcp/answers/plan-book';
import { createServerFactory } from '@svc/mcp/server';
import { createClient } from '@svc/sdk';
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express';
import type { Context } from '@svc/engine/context';
import packageJson from '../../package.json' with { type: 'json' };
import { callInProcess, type McpCaller } from './call-in-process.ts';

export type McpHandler = (
  request: ExpressRequest,
  response: ExpressResponse,
  call: { readonly caller: McpCaller; readonly body: unknown },
) => Promise<void>;

/** The longest wait of a tool for the rate limit of its account, after which it says so instead. */
const WAIT_MAX_MS = 10_000;

/** @param options.allowsWrites whether keys with the scope write are offered tools that write */
export function createHandler(ctx: Context, { allowsWrites }: { readonly allowsWrites: boolean }): McpHandler {
  const now = () => ctx.clock.now().getTime();
  const onError = (error: unknown) => ctx.log.error({ err: error }, 'a call of /mcp failed');
  // The same in all processes, so that a plan of one can be carried out by another.
  const secret = ctx.secrets.deriveKey('plans of MCP');
  const used = new Map<string, number>();
  const handler = createMcpHandler(
    (served) => {
      const caller = served.authInfo?.extra?.['caller'] as McpCaller;
      const client = createClient({
        ...{ baseUrl: ctx.urls.api, apiKey: null, fetch: callInProcess(ctx, caller), now },
        ...{ maxRetries: 0, maxRetryAfterMs: WAIT_MAX_MS, headerPrefix: ctx.branding.headerPrefix },
      });
      const plans = createPlanBook({ secret, principal: `key-${caller.key.id}`, used, now });
      return createServerFactory({
        ...{ client, version: packageJson.version, hidesText: false, now, onError },
        ...(allowsWrites ? { writes: { readKey: async () => caller.key, plans } } : {}),
        createMark: () => randomBytes(4).toString('hex'),
      })(served);
    },
    { legacy: 'stateless', onerror: onError },
  );
  return async (request, response, { caller, body }) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const asked = new Request(new URL('/mcp', ctx.urls.api), {
      method: 'POST',
      headers: Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      ),
      body: JSON.stringify(body ?? null),
      signal: gone.signal,
    });
    const authInfo = { token: '', clientId: `key-${caller.key.id}`, scopes: [], extra: { caller } };
    const answer = await handler.fetch(asked, { authInfo, parsedBody: body });
    response.status(answer.status);
    for (const [name, value] of answer.headers) response.setHeader(name, value);
    if (answer.body === null) response.end();
    else await pipeline(Readable.fromWeb(answer.body as ReadableStream), response);
  };
}
