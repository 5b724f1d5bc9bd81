import type { Answer } from '../http/answer.ts';
import type { FaultOptions, FaultSource, TransportFault } from '../http/fault-plan.ts';
import type { JournalEntry } from '../http/journal.ts';
import { type Exchange, type SimulatedRequest, startSimulatorServer } from '../http/server.ts';
import { OauthSimulator, type OauthSimulatorOptions } from '../oauth/oauth.ts';
import { rateLimited, type RateLimitPolicy, Refusal } from './answer.ts';
import { ENGAGEMENT_TYPES, type ObjectType } from './catalog.ts';
import { renderContactPage } from './contact-pages.ts';
import { HubspotLimiter, type SimulatedRateLimit } from './limits.ts';
import { HubspotLists, type ListState, type SimulatedList } from './lists.ts';
import type { SimulatedPipeline } from './pipelines.ts';
import { type AddedProperty, HubspotPortal, type StoredRecord, type ValidationRule } from './portal.ts';
import type { RequiredProperty } from './validation.ts';
import { answerRequest, type SimulatedOwner, type SimulatedToken, unauthenticated } from './routes.ts';

/**
 * A HubSpot simulator on loopback for demo, tests and benchmarks: it keeps state, refuses what HubSpot refuses, and
 * fails on request. Written from the public developer documentation; a test runs the official client against it.
 */

/** `secondly`, `ten-secondly`, `daily`: a 429 of that policy. */
type RateLimitFault = 'secondly' | 'ten-secondly' | 'daily';

/** A fault of one request. */
export type SimulatedFault = TransportFault | RateLimitFault;

const POLICIES: Readonly<Record<RateLimitFault, RateLimitPolicy>> = {
  secondly: 'SECONDLY',
  'ten-secondly': 'TEN_SECONDLY_ROLLING',
  daily: 'DAILY',
};

export interface HubspotSimulatorOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Accepted access tokens. Default `any`. */
  tokens?: readonly string[] | 'any';
  /** What HubSpot says about an accepted token. Default: account 1000001, and every scope that the connector needs. */
  describeToken?: (token: string) => Partial<SimulatedToken>;
  now?: () => Date;
  /** How long a request takes before it is answered. Default 0. */
  delayMs?: number;
  /** Called for every request without a fault of `failNext`. */
  faults?: FaultSource<SimulatedFault>;
  /** Registered apps, who consents, and rotation. */
  oauth?: Pick<OauthSimulatorOptions, 'clients' | 'account' | 'rotates'>;
  /** Emails of the portal's users, who can own contacts. */
  owners?: readonly string[];
  /** A rule of the account that refuses records. Default: none. */
  validationRule?: ValidationRule;
  /** Object types on which HubSpot refuses properties with unique values. Default: none. */
  refusesUniqueOn?: readonly ObjectType[];
  /** Object types of which nothing is upserted by a custom property, although it can be unique. Default: none. */
  refusesUpsertOn?: readonly ObjectType[];
  /** The pipelines of deals. Default: two. */
  pipelines?: readonly SimulatedPipeline[];
  /** A statement of docs/crm/hubspot.md that does not hold: `hubspot-3`. */
  breaks?: string;
  /** Called with every request, and what it was answered. */
  onExchange?: (exchange: Exchange) => void;
}

export interface HubspotSimulatorState {
  /** Records that a call has written. Records created for a list are only counted once a call has written them. */
  contacts: StoredRecord[];
  engagements: StoredRecord[];
  companies: StoredRecord[];
  deals: StoredRecord[];
  tasks: StoredRecord[];
  lists: ListState[];
  counts: {
    contacts: number;
    engagements: number;
    companies: number;
    deals: number;
    tasks: number;
    requests: number;
    engagementWrites: number;
  };
}

export interface HubspotSimulator {
  /** For example `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The grants, and the faults of the token endpoint. */
  readonly oauth: OauthSimulator;
  contacts(): StoredRecord[];
  engagements(): StoredRecord[];
  companies(): StoredRecord[];
  deals(): StoredRecord[];
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
  /** Adds a property that an admin made, until the next reset: a text unless its type says otherwise. */
  defineProperty(objectType: ObjectType, property: AddedProperty): void;
  /** Adds the options that a property does not have by value or label, until the next reset. */
  addOptions(objectType: ObjectType, name: string, values: readonly string[]): void;
  deleteProperty(objectType: ObjectType, name: string): void;
  /** Names of the properties of an object type. */
  propertyNames(objectType: ObjectType): string[];
  /** Creates a record that no call has written, associated with others. */
  seed(
    objectType: ObjectType,
    properties: Readonly<Record<string, string>>,
    ...to: readonly StoredRecord[]
  ): StoredRecord;
  deleteRecord(objectType: ObjectType, id: string): void;
  /** All records of an object type, also those that no call has written. */
  records(objectType: ObjectType): StoredRecord[];
  /** Record ids of the members of a list. */
  listMembers(listId: string): string[];
  /** While frozen, searches do not find newer records. */
  freezeSearch(isFrozen: boolean): void;
  /** Replaces the account's rules that make properties required, until the next reset. */
  requireProperties(...rules: readonly RequiredProperty[]): void;
  /** Deletes records, lists, custom properties, journal, faults and limits. */
  reset(): void;
  close(): Promise<void>;
}

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
    'crm.objects.deals.read',
    'crm.objects.deals.write',
    'crm.schemas.deals.read',
    'crm.schemas.deals.write',
    'crm.objects.owners.read',
    'crm.lists.read',
    'crm.lists.write',
  ],
};

export async function startHubspotSimulator(options: HubspotSimulatorOptions = {}): Promise<HubspotSimulator> {
  const { port, tokens = 'any', now = () => new Date(), faults, describeToken } = options;
  const owners = (options.owners ?? []).map(toOwner);
  const { validationRule: rule, refusesUniqueOn, refusesUpsertOn } = options;
  const portal = new HubspotPortal(now, {
    ...{ rule, refusesUniqueOn, refusesUpsertOn, breaks: options.breaks, pipelines: options.pipelines },
    ownerIds: owners.map(({ id }) => id),
  });
  const lists = new HubspotLists(portal, now);
  const limiter = new HubspotLimiter(portal.isBroken('hubspot-21'));

  const oauth = new OauthSimulator({ crm: 'hubspot', now, apiUrl: () => server.url, ...options.oauth });

  function findToken(token: string): SimulatedToken | null {
    const access = oauth.check(token);
    if (access === 'ended') return null;
    if (access !== null) return { hubId: Number(access.organizationId), scopes: access.scopes };
    if (token === '' || (tokens !== 'any' && !tokens.includes(token))) return null;
    return { ...DEFAULT_TOKEN, ...describeToken?.(token) };
  }

  async function answer(request: SimulatedRequest): Promise<Answer> {
    const oauthAnswer = await oauth.answer(request);
    if (oauthAnswer !== null) return oauthAnswer;
    const { url, headers: sent } = request;
    const token = findToken(/^Bearer (.+)$/i.exec(sent.authorization ?? '')?.[1] ?? '');
    if (token === null) return unauthenticated().toAnswer();
    const { headers, refusal } = limiter.count(now(), url.pathname.endsWith('/search'));
    if (refusal !== null) return refusal;
    const answered = answerRequest({ token, findToken, portal, lists, owners, now }, request);
    return { ...answered, headers: { ...headers, ...answered.headers } };
  }

  function state(): HubspotSimulatorState {
    const contacts = portal.all('contacts').filter(isWritten);
    const engagements = ENGAGEMENT_TYPES.flatMap((type) => portal.all(type));
    const companies = portal.all('companies').filter(isWritten);
    const tasks = portal.all('tasks');
    const deals = portal.all('deals').filter(isWritten);
    return structuredClone({
      contacts,
      engagements,
      companies,
      deals,
      tasks,
      lists: lists.state(),
      counts: {
        contacts: contacts.length,
        engagements: engagements.length,
        companies: companies.length,
        deals: deals.length,
        tasks: tasks.length,
        requests: server.requestCount(),
        engagementWrites: engagements.reduce((sum, { writes }) => sum + writes, 0),
      },
    });
  }

  const server = await startSimulatorServer<RateLimitFault>({
    ...(port === undefined ? {} : { port }),
    ...(faults === undefined ? {} : { faults }),
    now,
    delayMs: options.delayMs,
    answerFault,
    answer,
    state,
    page: (path) => renderContactPage(path, { ...state(), owners }),
    onExchange: options.onExchange,
  });

  return {
    url: server.url,
    oauth,
    contacts: () => state().contacts,
    engagements: () => state().engagements,
    companies: () => state().companies,
    deals: () => state().deals,
    tasks: () => state().tasks,
    state,
    requests: server.requests,
    failNext: server.failNext,
    setRateLimit: (limit) => limiter.set(limit),
    createList: (list) => lists.create(list),
    addListMembers: (listId, members) => lists.addMembers(listId, members),
    removeListMembers: (listId, members) => lists.removeMembers(listId, members),
    deleteList: (listId) => lists.delete(listId),
    defineProperty: (objectType, property) => portal.defineProperty(objectType, property),
    addOptions: (objectType, name, values) => portal.addOptions(objectType, name, values),
    deleteProperty: (objectType, name) => portal.deleteProperty(objectType, name),
    propertyNames: (objectType) => [...portal.properties(objectType).keys()],
    seed: (objectType, properties, ...to) => {
      const record = portal.seed(objectType, properties);
      for (const other of to) portal.associate(record, portal.find(other.objectType, other.id) ?? other);
      return structuredClone(record);
    },
    deleteRecord: (objectType, id) => {
      const record = portal.find(objectType, id);
      if (record !== null) portal.delete(record);
    },
    records: (objectType) => structuredClone(portal.all(objectType)),
    listMembers: (listId) => [...lists.get(listId).members.keys()],
    freezeSearch: (isFrozen) => portal.freezeSearch(isFrozen),
    requireProperties: (...rules) => portal.requireProperties(rules),
    reset: () => {
      portal.reset();
      lists.reset();
      limiter.set(null);
      oauth.reset();
      server.reset();
    },
    close: server.close,
  };
}

function answerFault(fault: number | RateLimitFault, headers: Record<string, string>): Answer {
  if (typeof fault !== 'number') return rateLimited(POLICIES[fault], headers);
  const category = fault === 401 ? 'EXPIRED_AUTHENTICATION' : fault === 403 ? 'MISSING_SCOPES' : 'INTERNAL_ERROR';
  return { ...new Refusal(fault, `simulated ${fault}`, { category }).toAnswer(), headers };
}

function isWritten({ writes }: StoredRecord): boolean {
  return writes > 0;
}

function toOwner(email: string, index: number): SimulatedOwner {
  const [name = email] = email.split('@');
  return { id: String(7001 + index), email: email.toLowerCase(), firstName: name, lastName: 'Owner' };
}
