/**
 * The block lists and webhooks of Smartlead, Instantly, EmailBison, lemlist and Reply.io, and past activity of lemlist, on loopback, for demo
 * and tests. It stores added entries per account and client, and fails on request. Repeated entries change nothing.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseBody, readText, send } from './http/transport.ts';
import { createSimulatedActivities, type SimulatedActivities } from './sequencers/activities.ts';
import { findRemoval, type SimulatedEntries } from './sequencers/removals.ts';
import { createSimulatedWebhooks, type SimulatedWebhooks, type WebhookPlatform } from './sequencers/webhooks.ts';

export type SimulatedPlatform = 'smartlead' | 'instantly' | 'emailbison' | 'lemlist' | 'reply-io';

/** The block list of one account, or of one of its clients. */
export interface SimulatedBlocklist {
  platform: SimulatedPlatform;
  /** The API key of the calls. */
  token: string;
  /** Null for the whole account. */
  clientId: string | null;
  entries: string[];
}

export interface SequencerState {
  blocklists: SimulatedBlocklist[];
  counts: { requests: number; entries: number };
}

/**
 * A number is a status. `reset`: the connection breaks before the entries are stored. `lost-answer`: it breaks after
 * that. `hang`: no answer. `none`: the usual answer, so that a later request fails.
 */
export type SequencerFault = number | 'reset' | 'lost-answer' | 'hang' | 'none';

export interface SequencerFaultOptions {
  retryAfterSeconds?: number;
  /** Message of the refusal. */
  message?: string;
}

export interface SequencerRequest {
  /** As received, including Smartlead's key. */
  path: string;
  /** The entries that it adds. */
  values: string[];
}

export interface SequencerSimulator {
  /** For example `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Past activity at lemlist. */
  readonly activities: Pick<SimulatedActivities, 'add'>;
  /** The webhooks of all accounts. */
  readonly webhooks: Omit<SimulatedWebhooks, 'find'>;
  state(): SequencerState;
  /** Returns the entries of one list, sorted; none for an unknown list. */
  entries(list: Pick<SimulatedBlocklist, 'platform' | 'token'> & { clientId?: string | null }): string[];
  /** Every request, oldest first. */
  requests(): readonly SequencerRequest[];
  /** Makes the next `count` requests fail. Calls add up, in order. */
  failNext(count: number, fault: SequencerFault, options?: SequencerFaultOptions): void;
  /**
   * Refuses calls with one of these entries as a whole (400), from now on; at Reply.io (error 4) and Instantly (`invalid_count`) only
   * these entries. It also refuses to remove them.
   */
  refuseEntries(values: readonly string[]): void;
  /** Reply.io does not add these entries (error 5), from now on. */
  leaveOutEntries(values: readonly string[]): void;
  /** Keeps lemlist's limit of 20 calls in 2 seconds by this clock, in ms, from now on. Default: no limit. */
  limitCalls(nowMs: () => number): void;
  /** Deletes entries, requests, faults, refused entries and the limit. */
  reset(): void;
  close(): Promise<void>;
}

interface Added {
  platform: SimulatedPlatform;
  token: string;
  clientId: string | null;
  values: string[];
}

interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

const INSTANTLY_MAX = 1_000;
const LEMLIST_CALLS_MAX = 20;
const LEMLIST_WINDOW_MS = 2_000;

/** @param options.tokens accepted API keys. Default `any` */
export async function startSequencerSimulator(
  options: { tokens?: readonly string[] | 'any' } = {},
): Promise<SequencerSimulator> {
  const { tokens = 'any' } = options;
  const webhooks = createSimulatedWebhooks();
  const activities = createSimulatedActivities();
  const blocklists = new Map<string, Omit<SimulatedBlocklist, 'entries'> & { entries: Set<string> }>();
  /** Ids of entries, also of removed ones. */
  const entryIds: string[] = [];
  let requests: SequencerRequest[] = [];
  let refusedEntries: ReadonlySet<string> = new Set();
  let leftOutEntries: ReadonlySet<string> = new Set();
  let limitClock: (() => number) | null = null;
  let lemlistCallsMs: number[] = [];
  let planned: { fault: SequencerFault; options: SequencerFaultOptions }[] = [];

  function listOf({ platform, token, clientId }: Omit<Added, 'values'>): { entries: Set<string> } {
    const key = JSON.stringify([platform, token, clientId]);
    const list = blocklists.get(key) ?? { platform, token, clientId, entries: new Set<string>() };
    blocklists.set(key, list);
    return list;
  }

  /** Returns how long a call has to wait, in ms; 0 when it may be made. */
  function waitMsOf(platform: SimulatedPlatform): number {
    if (platform !== 'lemlist' || limitClock === null) return 0;
    const nowMs = limitClock();
    lemlistCallsMs = lemlistCallsMs.filter((callMs) => callMs > nowMs - LEMLIST_WINDOW_MS);
    const [oldestMs = nowMs] = lemlistCallsMs;
    if (lemlistCallsMs.length >= LEMLIST_CALLS_MAX) return oldestMs + LEMLIST_WINDOW_MS - nowMs;
    lemlistCallsMs.push(nowMs);
    return 0;
  }

  function answer(request: IncomingMessage, body: unknown): Reply {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const { method = '' } = request;
    const found = webhooks.find(method, url.pathname) ?? findRemoval(method, url.pathname);
    if (found !== null) {
      requests.push({ path: request.url ?? '', values: [] });
      const token = tokenOf(found.platform, request, url);
      if (token === '' || (tokens !== 'any' && !tokens.includes(token))) return refused(401, 'Invalid API key');
      const call = { method, url, token, body: toFields(body) };
      if (!('remove' in found)) return found.handle(call);
      const waitMs = waitMsOf(found.platform);
      return waitMs > 0 ? tooMany(waitMs) : found.remove(call, entriesOf(found.platform, token));
    }
    if (request.method === 'GET' && url.pathname === '/api/activities') return answerActivities(request, url);
    const added = readCall(request, body);
    if (added === null) return refused(404, 'No such route');
    const { platform, token, values } = added;
    requests.push({ path: request.url ?? '', values });
    if (token === '' || (tokens !== 'any' && !tokens.includes(token))) return refused(401, 'Invalid API key');
    const waitMs = waitMsOf(platform);
    if (waitMs > 0) return tooMany(waitMs);
    const { length } = values;
    if (length === 0 || (platform === 'instantly' && length > INSTANTLY_MAX)) return refused(400, 'Invalid entries');
    switch (platform) {
      case 'reply-io':
        return answerEach(added);
      case 'instantly':
        return answerCounts(added);
      default:
        return answerAll(added);
    }
  }

  /** The entries of all lists of a token, by ids that stay. */
  function entriesOf(platform: SimulatedPlatform, token: string): SimulatedEntries {
    const lists = [...blocklists.values()].filter((list) => list.platform === platform && list.token === token);
    const rows = lists.flatMap(({ clientId, entries }) =>
      [...entries].map((value) => {
        const key = JSON.stringify([platform, token, clientId, value]);
        if (!entryIds.includes(key)) entryIds.push(key);
        return { id: entryIds.indexOf(key) + 1, value, clientId, drop: () => entries.delete(value) };
      }),
    );
    return { rows, isKept: (value) => refusedEntries.has(value) };
  }

  function answerActivities(request: IncomingMessage, url: URL): Reply {
    requests.push({ path: request.url ?? '', values: [] });
    const token = tokenOf('lemlist', request, url);
    if (token === '' || (tokens !== 'any' && !tokens.includes(token))) return refused(401, 'Invalid API key');
    const waitMs = waitMsOf('lemlist');
    return waitMs > 0 ? tooMany(waitMs) : activities.answer(token, url.searchParams);
  }

  /** Adds the valid entries, and says how many were not. Entries that were there before are valid, but not in `items`. */
  function answerCounts(added: Added): Reply {
    const { entries } = listOf(added);
    const valid = added.values.filter((value) => !refusedEntries.has(value));
    const items = valid.filter((value) => !entries.has(value));
    for (const value of items) entries.add(value);
    return {
      status: 200,
      body: {
        items: items.map((value) => ({ bl_value: value, is_domain: !value.includes('@') })),
        valid_count: valid.length,
        invalid_count: added.values.length - valid.length,
      },
    };
  }

  /** Adds all entries or none. */
  function answerAll(added: Added): Reply {
    const { platform, values } = added;
    const [first = ''] = values;
    if (values.some((value) => refusedEntries.has(value))) return refused(400, 'One of the entries is invalid');
    const { entries } = listOf(added);
    const isRepeated = entries.has(first);
    for (const value of values) entries.add(value);
    switch (platform) {
      case 'smartlead':
        return { status: 200, body: { uploadCount: values.length, totalDomainAdded: values.length } };
      case 'emailbison':
        return isRepeated
          ? refused(422, 'The entry has already been taken.')
          : { status: 201, body: { data: { id: entries.size, [first.includes('@') ? 'email' : 'domain']: first } } };
      default:
        return { status: 200, body: { _id: `uns_${entries.size}`, value: first } };
    }
  }

  /** Has a result per entry. */
  function answerEach(added: Added): Reply {
    const { entries } = listOf(added);
    const results = added.values.map((value) => {
      const error = errorOf(value, entries);
      if (error !== null) return { id: null, error, errorDetails: `error ${error}` };
      entries.add(value);
      return { id: entries.size, error: null, errorDetails: null };
    });
    return { status: 200, body: results };
  }

  function errorOf(value: string, entries: ReadonlySet<string>): number | null {
    if (refusedEntries.has(value)) return 4;
    if (leftOutEntries.has(value)) return 5;
    return entries.has(value) ? 2 : null;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request);
    if (request.url === '/__sim/state') {
      send(response, { status: 200, body: state() });
      return;
    }
    const failure = planned.shift();
    if (failure === undefined || failure.fault === 'none') {
      send(response, answer(request, parseBody(text)));
      return;
    }
    const {
      fault,
      options: { retryAfterSeconds, message = `simulated ${String(fault)}` },
    } = failure;
    if (fault === 'lost-answer') answer(request, parseBody(text));
    else {
      const { url: path = '' } = request;
      requests.push({ path, values: readCall(request, parseBody(text))?.values ?? [] });
    }
    if (fault === 'reset' || fault === 'lost-answer') response.socket?.destroy();
    if (typeof fault !== 'number') return;
    const headers: Record<string, string> =
      retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) };
    send(response, { ...refused(fault, message), headers });
  }

  function state(): SequencerState {
    const lists = [...blocklists.values()].map((list) => ({ ...list, entries: [...list.entries].sort() }));
    return {
      blocklists: lists,
      counts: { requests: requests.length, entries: lists.reduce((sum, { entries }) => sum + entries.length, 0) },
    };
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the simulator has no TCP address');

  return {
    url: `http://127.0.0.1:${address.port}`,
    activities,
    webhooks,
    state,
    entries: ({ platform, token, clientId = null }) =>
      [...(blocklists.get(JSON.stringify([platform, token, clientId]))?.entries ?? [])].sort(),
    requests: () => requests,
    failNext: (count, fault, faultOptions = {}) => {
      planned.push(...Array.from({ length: count }, () => ({ fault, options: faultOptions })));
    },
    refuseEntries: (values) => {
      refusedEntries = new Set(values);
    },
    leaveOutEntries: (values) => {
      leftOutEntries = new Set(values);
    },
    limitCalls: (nowMs) => {
      limitClock = nowMs;
    },
    reset() {
      refusedEntries = new Set();
      leftOutEntries = new Set();
      limitClock = null;
      lemlistCallsMs = [];
      blocklists.clear();
      webhooks.clear();
      activities.clear();
      requests = [];
      planned = [];
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function tooMany(waitMs: number): Reply {
  return { ...refused(429, 'Too many requests'), headers: { 'Retry-After': String(Math.ceil(waitMs / 1_000)) } };
}

function refused(status: number, message: string): { status: number; body: unknown } {
  return { status, body: { message } };
}

function tokenOf(platform: WebhookPlatform, { headers }: IncomingMessage, url: URL): string {
  if (platform === 'smartlead') return url.searchParams.get('api_key') ?? '';
  if (platform === 'heyreach') return String(headers['x-api-key'] ?? '');
  return platform === 'lemlist' ? passwordOf(headers.authorization) : bearerOf(headers.authorization);
}

function bearerOf(authorization = ''): string {
  return /^Bearer (.+)$/i.exec(authorization)?.[1] ?? '';
}

function toFields(body: unknown): Record<string, unknown> {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}

/** Returns the entries that a call adds; null for an unknown call. */
function readCall({ method, url: target = '/', headers }: IncomingMessage, body: unknown): Added | null {
  const url = new URL(target, 'http://127.0.0.1');
  const fields = toFields(body);
  const bearer = bearerOf(headers.authorization);
  const [, unsubscribed] = /^\/api\/unsubscribes\/([^/]+)$/.exec(url.pathname) ?? [];
  if (method === 'POST' && unsubscribed !== undefined) {
    const token = passwordOf(headers.authorization);
    return { platform: 'lemlist', token, clientId: null, values: [decodeURIComponent(unsubscribed)] };
  }
  switch (`${method} ${url.pathname}`) {
    case 'POST /api/v1/leads/add-domain-block-list': {
      const clientId = fields['client_id'];
      return {
        platform: 'smartlead',
        token: url.searchParams.get('api_key') ?? '',
        clientId: typeof clientId === 'number' || typeof clientId === 'string' ? String(clientId) : null,
        values: readTexts(fields['domain_block_list']),
      };
    }
    case 'POST /api/v2/block-lists-entries/bulk-create': {
      return { platform: 'instantly', token: bearer, clientId: null, values: readTexts(fields['bl_values']) };
    }
    case 'POST /api/blacklisted-domains':
      return { platform: 'emailbison', token: bearer, clientId: null, values: readTexts([fields['domain']]) };
    case 'POST /api/blacklisted-emails':
      return { platform: 'emailbison', token: bearer, clientId: null, values: readTexts([fields['email']]) };
    case 'POST /v3/contact-blacklist-rules/emails/bulk':
    case 'POST /v3/contact-blacklist-rules/domains/bulk':
      return { platform: 'reply-io', token: bearer, clientId: null, values: readPatterns(body) };
    default:
      return null;
  }
}

/** The password of Basic authorization without a user name. */
function passwordOf(authorization = ''): string {
  const [, encoded = ''] = /^Basic (.+)$/i.exec(authorization) ?? [];
  const [user, ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return user === '' ? password.join(':') : '';
}

function readPatterns(body: unknown): string[] {
  const items: unknown[] = Array.isArray(body) ? body : [];
  return readTexts(
    items.map((item) => (typeof item === 'object' && item !== null && 'pattern' in item ? item.pattern : undefined)),
  );
}

function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
