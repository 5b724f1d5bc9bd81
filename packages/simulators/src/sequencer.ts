/**
 * The block lists of Smartlead and Instantly on loopback, for demo and tests. It stores added entries per account and
 * client, and fails on request. Repeated entries change nothing, and none are ever removed.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseBody, readText, send } from './http/transport.ts';

type SimulatedPlatform = 'smartlead' | 'instantly';

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
 * that. `hang`: no answer.
 */
export type SequencerFault = number | 'reset' | 'lost-answer' | 'hang';

export interface SequencerFaultOptions {
  retryAfterSeconds?: number;
  /** Message of the refusal. */
  message?: string;
}

export interface SequencerRequest {
  /** As received, including Smartlead's key. */
  path: string;
  values: string[];
}

export interface SequencerSimulator {
  /** For example `http://127.0.0.1:PORT`. */
  readonly url: string;
  state(): SequencerState;
  /** Returns the entries of one list, sorted; none for an unknown list. */
  entries(list: Pick<SimulatedBlocklist, 'platform' | 'token'> & { clientId?: string | null }): string[];
  /** Every request, oldest first. */
  requests(): readonly SequencerRequest[];
  /** Makes the next `count` requests fail. Calls add up, in order. */
  failNext(count: number, fault: SequencerFault, options?: SequencerFaultOptions): void;
  /** Refuses calls with one of these entries as a whole (400) from now on. */
  refuseEntries(values: readonly string[]): void;
  /** Deletes entries, requests, faults and refused entries. */
  reset(): void;
  close(): Promise<void>;
}

interface Added {
  platform: SimulatedPlatform;
  token: string;
  clientId: string | null;
  values: string[];
}

const INSTANTLY_MAX = 1_000;

/** @param options.tokens accepted API keys. Default `any` */
export async function startSequencerSimulator(
  options: { tokens?: readonly string[] | 'any' } = {},
): Promise<SequencerSimulator> {
  const { tokens = 'any' } = options;
  const blocklists = new Map<string, Omit<SimulatedBlocklist, 'entries'> & { entries: Set<string> }>();
  let requests: SequencerRequest[] = [];
  let refusedEntries: ReadonlySet<string> = new Set();
  let planned: { fault: SequencerFault; options: SequencerFaultOptions }[] = [];

  function add({ platform, token, clientId, values }: Added): void {
    const key = JSON.stringify([platform, token, clientId]);
    const list = blocklists.get(key) ?? { platform, token, clientId, entries: new Set<string>() };
    for (const value of values) list.entries.add(value);
    blocklists.set(key, list);
  }

  function answer(request: IncomingMessage, body: unknown): { status: number; body: unknown } {
    const added = readCall(request, body);
    if (added === null) return refused(404, 'No such route');
    requests.push({ path: request.url ?? '', values: added.values });
    if (added.token === '' || (tokens !== 'any' && !tokens.includes(added.token)))
      return refused(401, 'Invalid API key');
    const { length } = added.values;
    if (length === 0 || (added.platform === 'instantly' && length > INSTANTLY_MAX))
      return refused(400, 'Invalid entries');
    if (added.values.some((value) => refusedEntries.has(value))) return refused(400, 'One of the entries is invalid');
    add(added);
    return added.platform === 'smartlead'
      ? { status: 200, body: { uploadCount: length, totalDomainAdded: length } }
      : { status: 200, body: added.values.map((value) => ({ bl_value: value, is_domain: !value.includes('@') })) };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request);
    if (request.url === '/__sim/state') {
      send(response, { status: 200, body: state() });
      return;
    }
    const failure = planned.shift();
    if (failure === undefined) {
      send(response, answer(request, parseBody(text)));
      return;
    }
    const {
      fault,
      options: { retryAfterSeconds, message = `simulated ${String(fault)}` },
    } = failure;
    if (fault === 'lost-answer') answer(request, parseBody(text));
    else requests.push({ path: request.url ?? '', values: readCall(request, parseBody(text))?.values ?? [] });
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
    reset() {
      refusedEntries = new Set();
      blocklists.clear();
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

function refused(status: number, message: string): { status: number; body: unknown } {
  return { status, body: { message } };
}

/** Returns the entries that a call adds; null for an unknown call. */
function readCall({ method, url: target = '/', headers }: IncomingMessage, body: unknown): Added | null {
  const url = new URL(target, 'http://127.0.0.1');
  const fields: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
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
      const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
      return { platform: 'instantly', token, clientId: null, values: readTexts(fields['bl_values']) };
    }
    default:
      return null;
  }
}

function readTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
