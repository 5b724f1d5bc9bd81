import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Answer, Refusal } from './answer.ts';
import { ENGAGEMENT_TYPES } from './catalog.ts';
import { HubspotLimiter, type SimulatedRateLimit } from './limits.ts';
import { HubspotLists, type ListState, type SimulatedList } from './lists.ts';
import { HubspotPortal, type StoredRecord } from './portal.ts';
import { answerRequest, type SimulatedOwner, type SimulatedToken, unauthenticated } from './routes.ts';
import { fail, type FaultOptions, parseBody, readText, send, type SimulatedFault } from './transport.ts';

export type { FaultOptions, SimulatedFault } from './transport.ts';

/**
 * A HubSpot simulator on loopback for demo, tests and benchmarks: it keeps state, refuses what HubSpot refuses, and
 * fails on request. Written from the public developer documentation; a test runs the official client against it.
 */

export interface JournalEntry {
  at: string;
  method: string;
  /** Path and query, as received. */
  path: string;
  authorization: string | null;
  body: unknown;
  /** 0 when no status was sent. */
  status: number;
}

export interface HubspotSimulatorOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Accepted access tokens. Default `any`. */
  tokens?: readonly string[] | 'any';
  /** What HubSpot says about an accepted token. Default: account 1000001, and every scope that the connector needs. */
  describeToken?: (token: string) => Partial<SimulatedToken>;
  now?: () => Date;
  /** Called for every request without a fault of `failNext`. */
  faults?: (request: { method: string; path: string; count: number }) => SimulatedFault | null;
  /** Emails of the portal's users, who can own contacts. */
  owners?: readonly string[];
}

export interface HubspotSimulatorState {
  /** Records that a call has written; those created for a list are only counted there. */
  contacts: StoredRecord[];
  engagements: StoredRecord[];
  companies: StoredRecord[];
  tasks: StoredRecord[];
  lists: ListState[];
  counts: {
    contacts: number;
    engagements: number;
    companies: number;
    tasks: number;
    requests: number;
    engagementWrites: number;
  };
}

export interface HubspotSimulator {
  /** For example `http://127.0.0.1:PORT`. */
  readonly url: string;
  contacts(): StoredRecord[];
  engagements(): StoredRecord[];
  companies(): StoredRecord[];
  tasks(): StoredRecord[];
  state(): HubspotSimulatorState;
  /** The last 20,000 requests, oldest first. */
  requests(): readonly JournalEntry[];
  /** Makes the next `count` requests fail with `fault`. Calls add up, in order. */
  failNext(count: number, fault: SimulatedFault, options?: FaultOptions): void;
  setRateLimit(limit: SimulatedRateLimit | null): void;
  /** Creates a list with its members; returns its id. */
  createList(list: SimulatedList): string;
  addListMembers(listId: string, members: readonly string[]): void;
  removeListMembers(listId: string, members: readonly string[]): void;
  deleteList(listId: string): void;
  /** While frozen, searches do not find newer records. */
  freezeSearch(isFrozen: boolean): void;
  /** Deletes records, lists, custom properties, journal, faults and limits. */
  reset(): void;
  close(): Promise<void>;
}

const JOURNAL_MAX = 20_000;

const DEFAULT_TOKEN: SimulatedToken = {
  hubId: 1_000_001,
  scopes: [
    'oauth',
    'crm.objects.contacts.read',
    'crm.objects.contacts.write',
    'crm.schemas.contacts.read',
    'crm.schemas.contacts.write',
    'crm.objects.companies.read',
    'crm.objects.companies.write',
    'crm.schemas.companies.read',
    'crm.schemas.companies.write',
    'crm.objects.owners.read',
    'crm.lists.read',
  ],
};

export async function startHubspotSimulator(options: HubspotSimulatorOptions = {}): Promise<HubspotSimulator> {
  const { port = 0, tokens = 'any', now = () => new Date(), faults = () => null, describeToken } = options;
  const owners = (options.owners ?? []).map(toOwner);
  const portal = new HubspotPortal(now);
  const lists = new HubspotLists(portal, now);
  const limiter = new HubspotLimiter();
  const journal: JournalEntry[] = [];
  let planned: { fault: SimulatedFault; skip: number; left: number; options: FaultOptions }[] = [];
  let requestCount = 0;

  function takeFault(method: string, path: string): { fault: SimulatedFault; options: FaultOptions } | null {
    const plan = planned.find(
      ({ left, options: { match } }) => left > 0 && (match === undefined || match.test(`${method} ${path}`)),
    );
    if (plan !== undefined && plan.skip > 0) {
      plan.skip -= 1;
      return null;
    }
    if (plan !== undefined) {
      plan.left -= 1;
      return plan;
    }
    const fault = faults({ method, path, count: requestCount });
    return fault === null ? null : { fault, options: {} };
  }

  function findToken(token: string): SimulatedToken | null {
    if (token === '' || (tokens !== 'any' && !tokens.includes(token))) return null;
    return { ...DEFAULT_TOKEN, ...describeToken?.(token) };
  }

  function answerAuthenticated(request: IncomingMessage, url: URL, body: unknown): Answer {
    const token = findToken(/^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '');
    if (token === null) return unauthenticated().toAnswer();
    const { headers, refusal } = limiter.count(now());
    if (refusal !== null) return refusal;
    const answer = answerRequest({ token, findToken, portal, lists, owners, now }, request.method ?? 'GET', url, body);
    return { ...answer, headers: { ...headers, ...answer.headers } };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: target = '/' } = request;
    const url = new URL(target, 'http://127.0.0.1');
    const text = await readText(request);
    if (url.pathname.startsWith('/__sim/')) {
      send(response, url.pathname === '/__sim/state' ? { status: 200, body: state() } : { status: 404 });
      return;
    }
    requestCount += 1;
    const fault = takeFault(method, url.pathname);
    const body = parseBody(text);
    const entry: JournalEntry = {
      at: now().toISOString(),
      method,
      path: target,
      authorization: request.headers.authorization ?? null,
      body,
      status: 0,
    };
    journal.push(entry);
    if (journal.length > JOURNAL_MAX) journal.shift();
    if (fault !== null && fault.fault !== 'lost-answer' && fault.fault !== 'truncated') {
      entry.status = fail(response, fault.fault, fault.options);
      return;
    }
    const answer = answerAuthenticated(request, url, body);
    if (fault?.fault === 'lost-answer') {
      response.socket?.destroy();
      return;
    }
    entry.status = answer.status;
    send(response, answer, fault?.fault === 'truncated');
  }

  function state(): HubspotSimulatorState {
    const contacts = portal.all('contacts').filter(isWritten);
    const engagements = ENGAGEMENT_TYPES.flatMap((type) => portal.all(type));
    const companies = portal.all('companies').filter(isWritten);
    const tasks = portal.all('tasks');
    return structuredClone({
      contacts,
      engagements,
      companies,
      tasks,
      lists: lists.state(),
      counts: {
        contacts: contacts.length,
        engagements: engagements.length,
        companies: companies.length,
        tasks: tasks.length,
        requests: requestCount,
        engagementWrites: engagements.reduce((sum, { writes }) => sum + writes, 0),
      },
    });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else
        send(
          response,
          new Refusal(500, error instanceof Error ? error.message : 'internal error', {
            category: 'INTERNAL_ERROR',
          }).toAnswer(),
        );
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the simulator has no TCP address');

  return {
    url: `http://127.0.0.1:${address.port}`,
    contacts: () => state().contacts,
    engagements: () => state().engagements,
    companies: () => state().companies,
    tasks: () => state().tasks,
    state,
    requests: () => journal,
    failNext: (count, fault, faultOptions = {}) => {
      planned.push({ fault, skip: faultOptions.skip ?? 0, left: count, options: faultOptions });
    },
    setRateLimit: (limit) => limiter.set(limit),
    createList: (list) => lists.create(list),
    addListMembers: (listId, members) => lists.addMembers(listId, members),
    removeListMembers: (listId, members) => lists.removeMembers(listId, members),
    deleteList: (listId) => lists.delete(listId),
    freezeSearch: (isFrozen) => portal.freezeSearch(isFrozen),
    reset: () => {
      portal.reset();
      lists.reset();
      limiter.set(null);
      journal.length = 0;
      planned = [];
      requestCount = 0;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function isWritten({ writes }: StoredRecord): boolean {
  return writes > 0;
}

function toOwner(email: string, index: number): SimulatedOwner {
  const [name = email] = email.split('@');
  return { id: String(7001 + index), email: email.toLowerCase(), firstName: name, lastName: 'Owner' };
}
