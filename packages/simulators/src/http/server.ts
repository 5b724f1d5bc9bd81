import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { pageHeaders } from '@svc/domain/pages/html-page';
import type { Answer } from './answer.ts';
import {
  FAULT_ORDER_RULE,
  type FaultOptions,
  FaultPlan,
  type FaultSource,
  parseFaultOrder,
  type TransportFault,
} from './fault-plan.ts';
import { Journal, type JournalEntry } from './journal.ts';
import { isOwnHost } from './own-host.ts';
import { parseBody, readText, send } from './transport.ts';

/** The HTTP server of a simulated CRM on loopback: it keeps a journal, fails on command, and serves its state. */

export interface SimulatedRequest {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  /** Parsed JSON, else the text. */
  body: unknown;
  text: string;
}

export interface SimulatorServerOptions<Named extends string> {
  /** Default 0: any free port. */
  port?: number;
  now: () => Date;
  /** How long a request takes before it is answered. Default 0. */
  delayMs?: number | undefined;
  /** Called for every request without a fault of `failNext`. */
  faults?: FaultSource<TransportFault | Named>;
  /** Returns the answer of a fault that is a status or one of the CRM's own. */
  answerFault: (fault: number | Named, headers: Record<string, string>) => Answer;
  /** Answers one request. Whatever it throws is a 500. */
  answer: (request: SimulatedRequest) => Answer | Promise<Answer>;
  /** Answer of `GET /__sim/state`. `POST /__sim/faults` makes requests fail, `DELETE` ends that. */
  state: () => unknown;
  /** Returns a page for people below `/__sim/`; null when there is none. */
  page?: (path: string) => string | null;
  /** Called with every request of the CRM's API. */
  onExchange?: ((exchange: Exchange) => void) | undefined;
}

/** A request and its answer, as a test can compare them with what the vendor publishes. */
export interface Exchange {
  method: string;
  url: URL;
  /** Parsed JSON, else the text; undefined without a body. */
  body: unknown;
  /** Null for a request that failed on command. */
  answer: Answer | null;
}

export interface SimulatorServer<Named extends string> {
  /** For example `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The last 20,000 requests, oldest first. */
  requests: () => readonly JournalEntry[];
  /** Number of requests since the last reset. */
  requestCount: () => number;
  failNext: (count: number, fault: TransportFault | Named, options?: FaultOptions) => void;
  /** Deletes journal and faults. */
  reset: () => void;
  close: () => Promise<void>;
}

const KEEP_ALIVE_MS = 60_000;
const FOREIGN_HOST = 'This simulator only answers requests to localhost or an IP address.';

export async function startSimulatorServer<Named extends string = never>(
  options: SimulatorServerOptions<Named>,
): Promise<SimulatorServer<Named>> {
  const { port = 0, now, delayMs = 0, faults, answerFault, answer, state, page, onExchange } = options;
  const plan = new FaultPlan<TransportFault | Named>(faults);
  const journal = new Journal();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: target = '/', headers } = request;
    if (!isOwnHost(headers.host)) {
      send(response, { status: 421, body: { message: FOREIGN_HOST } });
      return;
    }
    const url = new URL(target, 'http://127.0.0.1');
    const text = await readText(request);
    if (url.pathname.startsWith('/__sim/')) {
      send(response, control(method, url.pathname, text));
      return;
    }
    const body = parseBody(text);
    const entry: JournalEntry = {
      at: now().toISOString(),
      method,
      path: target,
      authorization: headers.authorization ?? null,
      body,
      status: 0,
    };
    journal.add(entry);
    if (delayMs > 0) await wait(delayMs);
    const taken = plan.take(method, url.pathname, journal.count);
    if (taken !== null && taken.fault !== 'lost-answer' && taken.fault !== 'truncated') {
      onExchange?.({ method, url, body, answer: null });
      entry.status = fail(response, taken.fault, taken.options);
      return;
    }
    const answered = await answer({ method, url, headers, body, text });
    onExchange?.({ method, url, body, answer: answered });
    if (taken?.fault === 'lost-answer') {
      response.socket?.destroy();
      return;
    }
    entry.status = answered.status;
    send(response, answered, taken?.fault === 'truncated');
  }

  /** Answers a request of a test or of a person, which is no call of the CRM's API. */
  function control(method: string, path: string, text: string): Answer {
    if (path === '/__sim/state') return { status: 200, body: state() };
    const html = method === 'GET' ? (page?.(path) ?? null) : null;
    if (html !== null) {
      return { status: 200, text: html, headers: { 'Content-Type': 'text/html; charset=utf-8', ...pageHeaders() } };
    }
    if (path !== '/__sim/faults') return { status: 404 };
    if (method === 'DELETE') {
      plan.reset();
      return { status: 204 };
    }
    const order = method === 'POST' ? parseFaultOrder(parseBody(text)) : null;
    if (order === null) return { status: 400, body: { message: FAULT_ORDER_RULE } };
    plan.failNext(order.count, order.fault, order.options);
    return { status: 204 };
  }

  /** Sends the fault; returns the status sent, 0 for none. A hanging request ends when either side closes. */
  function fail(response: ServerResponse, fault: TransportFault | Named, { retryAfterSeconds }: FaultOptions): number {
    const headers: Record<string, string> =
      retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
    if (fault === 'hang') return 0;
    if (fault === 'reset') {
      response.socket?.destroy();
      return 0;
    }
    if (fault === 'html') {
      const page = '<html><body>502 Bad Gateway</body></html>';
      return send(response, { status: 502, text: page, headers: { 'Content-Type': 'text/html', ...headers } });
    }
    return send(response, answerFault(fault as number | Named, headers));
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else send(response, answerFault(500, {}));
    });
  });
  // The caller closes idle connections first, or a request that is sent at that moment would be lost.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the simulator has no TCP address');

  return {
    url: `http://127.0.0.1:${address.port}`,
    requests: () => journal.entries,
    requestCount: () => journal.count,
    failNext: (count, fault, faultOptions) => plan.failNext(count, fault, faultOptions),
    reset() {
      plan.reset();
      journal.reset();
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
