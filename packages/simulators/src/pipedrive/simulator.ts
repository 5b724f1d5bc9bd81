import type { Answer } from '../http/answer.ts';
import type { FaultOptions, FaultSource, TransportFault } from '../http/fault-plan.ts';
import type { JournalEntry } from '../http/journal.ts';
import { type Exchange, type SimulatedRequest, startSimulatorServer } from '../http/server.ts';
import { OauthSimulator, type OauthSimulatorOptions } from '../oauth/oauth.ts';
import {
  type AccountSetup,
  DEFAULT_SETUP,
  PipedriveAccount,
  type SimulatedActivity,
  type SimulatedDeal,
  type SimulatedField,
  type SimulatedNote,
  type SimulatedOrganization,
  type SimulatedPerson,
  type SimulatedUser,
} from './account.ts';
import { cloudflarePage, Refusal } from './answer.ts';
import { createFilter, type FilterMembers } from './filters.ts';
import { dailyHeaders, PipedriveLimiter, rateLimited, type SimulatedRateLimit } from './limits.ts';
import { answerRequest } from './routes.ts';
import type { SimulatedCompany } from './users.ts';

/**
 * A Pipedrive simulator on loopback for demo, tests and benchmarks: it keeps state, refuses what Pipedrive refuses, and
 * fails on request. Written from the public developer documentation; a test runs the official client against it.
 */

/** `burst`, `daily`: a 429 of that limit. `cloudflare`: the page that a caller gets who goes on after many 429s. */
type PipedriveFault = 'burst' | 'daily' | 'cloudflare';

export interface PipedriveSimulatorOptions extends Partial<AccountSetup> {
  /** Default 0: any free port. */
  port?: number;
  /** Accepted personal tokens (`x-api-token`). Default `any`. */
  tokens?: readonly string[] | 'any';
  /** Apps and account of the OAuth endpoints, and whether refreshing replaces the refresh token. */
  oauth?: Pick<OauthSimulatorOptions, 'clients' | 'account' | 'rotates'>;
  /** Default: company 7000001, `acme`. */
  company?: Partial<SimulatedCompany>;
  /** The id of the company that a personal token belongs to; NaN stands for `company`. */
  companyOf?: (token: string) => number;
  now?: () => Date;
  /** Called for every request without a fault of `failNext`. */
  faults?: FaultSource<TransportFault | PipedriveFault>;
  /** Emails of the company's users. The token belongs to the first. Default `owner@example.com`. */
  users?: readonly string[];
  /** Whether fields such as the job title can be written. Default false: a write with one is refused. */
  hasContactSync?: boolean;
  /** Whether marketing statuses can be written. Default false. */
  hasCampaigns?: boolean;
  /** Called with every request, and what it was answered. */
  onExchange?: (exchange: Exchange) => void;
}

export interface PipedriveSimulatorState {
  /** Records that a call has written; records made for a filter are not among them. Deleted ones are left out. */
  persons: SimulatedPerson[];
  organizations: SimulatedOrganization[];
  activities: SimulatedActivity[];
  notes: SimulatedNote[];
  deals: SimulatedDeal[];
  personFields: SimulatedField[];
  organizationFields: SimulatedField[];
  counts: {
    persons: number;
    organizations: number;
    activities: number;
    notes: number;
    requests: number;
    /** Tokens spent. */
    tokens: number;
    /** Calls refused because of a limit. */
    refusals: number;
  };
}

export interface PipedriveSimulator {
  /** For example `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly oauth: OauthSimulator;
  state(): PipedriveSimulatorState;
  /** The last 20,000 requests, oldest first. */
  requests(): readonly JournalEntry[];
  /** Makes the next `count` requests fail with `fault`. Calls add up, in order. */
  failNext(count: number, fault: TransportFault | PipedriveFault, options?: FaultOptions): void;
  setRateLimit(limit: SimulatedRateLimit | null): void;
  /** Creates a filter with its members; returns its id. */
  createFilter(filter: FilterMembers): string;
  deleteFilter(filterId: string): void;
  /** While frozen, searches do not find newer records. Lists do. */
  freezeSearch(isFrozen: boolean): void;
  /** Keys of the active activity types; an admin can change them. */
  setActivityTypes(keys: readonly string[]): void;
  /** Deletes a custom field of persons with its values, as an admin can. */
  deletePersonField(code: string): void;
  /** Removes a deleted person for good, as Pipedrive does after 30 days. */
  purgePerson(id: number): void;
  /** Deletes records, filters, own fields, journal, faults and limits. */
  reset(): void;
  close(): Promise<void>;
}

const COMPANY: SimulatedCompany = { id: 7_000_001, name: 'Acme', domain: 'acme' };

export async function startPipedriveSimulator(options: PipedriveSimulatorOptions = {}): Promise<PipedriveSimulator> {
  const { port, tokens = 'any', now = () => new Date(), faults } = options;
  const { hasContactSync = false, hasCampaigns = false } = options;
  const users = (options.users ?? ['owner@example.com']).map(toUser);
  const company = { ...COMPANY, ...options.company };
  const account = new PipedriveAccount(users, now, {
    labels: options.labels ?? DEFAULT_SETUP.labels,
    pipelines: options.pipelines ?? DEFAULT_SETUP.pipelines,
    breaks: options.breaks ?? null,
  });
  const limiter = new PipedriveLimiter(account.isBroken('pipedrive-15') ? 2 : 1);

  const oauth = new OauthSimulator({ crm: 'pipedrive', now, apiUrl: () => server.url, ...options.oauth });

  /** A personal token as Bearer is refused, as in Pipedrive; null for a refused one. */
  function findToken({ headers }: SimulatedRequest): { token: string; companyId: number } | null {
    const personal = headers['x-api-token'];
    if (typeof personal === 'string') {
      if (tokens !== 'any' && !tokens.includes(personal)) return null;
      const companyId = options.companyOf?.(personal) ?? NaN;
      return { token: personal, companyId: Number.isInteger(companyId) ? companyId : company.id };
    }
    const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
    const access = oauth.check(token);
    return access === null || access === 'ended' ? null : { token, companyId: Number(access.organizationId) };
  }

  async function answer(request: SimulatedRequest): Promise<Answer> {
    const oauthAnswer = await oauth.answer(request);
    if (oauthAnswer !== null) return oauthAnswer;
    const { method, url, body } = request;
    const caller = findToken(request);
    if (caller === null) return new Refusal(401, 'unauthorized access').toAnswer();
    const { headers, refusal } = limiter.count(caller.token, method, url.pathname, now());
    if (refusal !== null) return refusal;
    const userId = users[0]?.id ?? 0;
    const itsCompany = { ...company, id: caller.companyId };
    const context = { account, userId, company: itsCompany, hasContactSync, hasCampaigns };
    const answered = answerRequest(context, method, url, body);
    return { ...answered, headers: { ...headers, ...answered.headers } };
  }

  function state(): PipedriveSimulatorState {
    const persons = [...account.persons.values()].filter(({ is_deleted, writes }) => !is_deleted && writes > 0);
    const organizations = [...account.organizations.values()].filter((one) => !one.is_deleted && one.writes > 0);
    const activities = [...account.activities.values()].filter(({ is_deleted }) => !is_deleted);
    const notes = [...account.notes.values()].filter(({ active_flag }) => active_flag);
    const deals = [...account.deals.values()].filter(({ is_deleted }) => !is_deleted);
    const isCustom = ({ is_custom_field }: SimulatedField) => is_custom_field;
    return structuredClone({
      persons,
      organizations,
      activities,
      notes,
      deals,
      personFields: account.fields.personFields.filter(isCustom),
      organizationFields: account.fields.organizationFields.filter(isCustom),
      counts: {
        persons: persons.length,
        organizations: organizations.length,
        activities: activities.length,
        notes: notes.length,
        requests: server.requestCount(),
        tokens: limiter.spent,
        refusals: limiter.refusals,
      },
    });
  }

  const server = await startSimulatorServer<PipedriveFault>({
    ...(port === undefined ? {} : { port }),
    ...(faults === undefined ? {} : { faults }),
    now,
    answerFault,
    answer,
    state,
    onExchange: options.onExchange,
  });

  return {
    url: server.url,
    oauth,
    state,
    requests: server.requests,
    failNext: server.failNext,
    setRateLimit: (limit) => limiter.set(limit),
    createFilter: (filter) => createFilter(account, users[0]?.id ?? 0, filter),
    deleteFilter: (filterId) => void account.filters.delete(Number(filterId)),
    freezeSearch: (isFrozen) => account.freezeSearch(isFrozen),
    setActivityTypes: (keys) => {
      account.activityTypes = [...keys];
    },
    deletePersonField: (code) => account.deletePersonField(code),
    purgePerson: (id) => void account.persons.delete(id),
    reset: () => {
      account.reset();
      limiter.set(null);
      oauth.reset();
      server.reset();
    },
    close: server.close,
  };
}

function answerFault(fault: number | PipedriveFault, headers: Record<string, string>): Answer {
  if (fault === 'cloudflare') return cloudflarePage();
  if (fault === 'burst') return rateLimited({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1', ...headers });
  if (fault === 'daily') return rateLimited({ ...dailyHeaders(30_000, 0), ...headers });
  const message = fault === 401 ? 'unauthorized access' : `simulated ${fault}`;
  const answer = new Refusal(fault, message).toAnswer();
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function toUser(email: string, index: number): SimulatedUser {
  const [name = email] = email.split('@');
  return { id: 501 + index, name, email: email.toLowerCase(), active_flag: true };
}
