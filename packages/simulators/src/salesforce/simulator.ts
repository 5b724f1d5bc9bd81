import type { Answer } from '../http/answer.ts';
import type { FaultOptions, FaultSource, TransportFault } from '../http/fault-plan.ts';
import type { JournalEntry } from '../http/journal.ts';
import { type SimulatedRequest, startSimulatorServer } from '../http/server.ts';
import { OauthSimulator, type OauthSimulatorOptions } from '../oauth/oauth.ts';
import {
  concurrentRequestsExceeded,
  invalidSession,
  SalesforceLimiter,
  type SimulatedOrgLimit,
  totalRequestsExceeded,
} from './limits.ts';
import { SalesforceListViews, type SimulatedListView } from './list-views.ts';
import { type OrgSettings, PLAIN_ORG, type RecordFault, SalesforceOrg } from './org.ts';
import type { StoredRecord, Values } from './record.ts';
import { SalesforceQueries } from './query.ts';
import { Refusal } from './refusal.ts';
import { answerRequest } from './routes.ts';
import type { ObjectType } from './definitions.ts';

/**
 * A Salesforce simulator on loopback for tests and benchmarks: it keeps the records of one org, refuses what Salesforce
 * refuses, and fails on request. Written from the public developer documentation; a test runs another client against it.
 */

/**
 * `total-requests`: the org has no calls left for the day. `concurrent-requests`: too many calls at once. `session`: the
 * token has expired. `policy`: a policy of the org refuses the token.
 */
type OrgFault = 'total-requests' | 'concurrent-requests' | 'session' | 'policy';

export type SalesforceFault = TransportFault | OrgFault;

export interface SalesforceSimulatorOptions {
  /** Default 0: any free port. */
  port?: number;
  /** Accepted access tokens. Default `any`. */
  tokens?: readonly string[] | 'any';
  /** 18-character id of the org. Default `00D000000000001EAA`. */
  organizationId?: string;
  /** Returns the org that a token which was not issued here belongs to. Default: `organizationId`. */
  organizationOf?: (token: string) => string | undefined;
  now?: () => Date;
  /** Called for every request without a fault of `failNext`. */
  faults?: FaultSource<SalesforceFault>;
  /** Users of the org, who can own records. */
  users?: readonly { email: string; isActive?: boolean }[];
  /** What the org has. Default: all fields, and no rules. */
  org?: Partial<OrgSettings>;
  /** The id of a statement in docs/crm/salesforce.md that does not hold here, such as `salesforce-8`. */
  breaks?: string;
  /** Its OAuth endpoints. Default: every app is accepted, tokens stand for `organizationId`, no rotation. */
  oauth?: Pick<OauthSimulatorOptions, 'clients' | 'account' | 'rotates'>;
}

export interface SalesforceSimulatorState {
  /** Records that a call has written; those created by a test are only counted when one has. */
  contacts: StoredRecord[];
  leads: StoredRecord[];
  accounts: StoredRecord[];
  tasks: StoredRecord[];
  counts: { contacts: number; leads: number; accounts: number; tasks: number; requests: number; taskWrites: number };
}

export interface SalesforceSimulator {
  /** For example `http://127.0.0.1:PORT`; the `instance_url` of its tokens. */
  readonly url: string;
  readonly organizationId: string;
  readonly oauth: OauthSimulator;
  /** Records of a type that are not deleted, also those that no call has written. */
  records(type: ObjectType): StoredRecord[];
  state(): SalesforceSimulatorState;
  /** The last 20,000 requests, oldest first. */
  requests(): readonly JournalEntry[];
  /** Makes the next `count` requests fail with `fault`. Calls add up, in order. */
  failNext(count: number, fault: SalesforceFault, options?: FaultOptions): void;
  /** Makes the next `count` writes of records of a type fail, inside collections too. */
  failRecords(count: number, fault: RecordFault): void;
  setRateLimit(limit: SimulatedOrgLimit | null): void;
  /** Changes what the org has, until the next reset. */
  configure(settings: Partial<OrgSettings>): void;
  /** Creates a record that existed before any call; returns its id. */
  seed(type: ObjectType, values: Values): string;
  /** Changes a record as a user does. */
  edit(id: string, values: Values): void;
  /** Moves a record to the recycle bin. */
  delete(id: string): void;
  convertLead(id: string): { contactId: string; accountId: string };
  lock(id: string, isLocked: boolean): void;
  /** Creates a campaign with members of these addresses; returns its id. */
  createCampaign(emails: readonly string[]): string;
  createListView(view: SimulatedListView): string;
  /** Rows of one page of a query. Default 2,000. */
  setPageSize(rows: number): void;
  endCursors(): void;
  /** Deletes records, journal, faults, limits and settings. */
  reset(): void;
  close(): Promise<void>;
}

const WRITTEN_TYPES = { contacts: 'Contact', leads: 'Lead', accounts: 'Account', tasks: 'Task' } as const;

export async function startSalesforceSimulator(options: SalesforceSimulatorOptions = {}): Promise<SalesforceSimulator> {
  const { port, tokens = 'any', organizationId = '00D000000000001EAA', now = () => new Date(), faults } = options;
  const users = (options.users ?? []).map(({ email, isActive = true }) => ({ email, isActive }));
  const settings: OrgSettings = { ...PLAIN_ORG, ...options.org };
  const org = new SalesforceOrg(now, users, settings, options.breaks);
  const queries = new SalesforceQueries(org);
  const listViews = new SalesforceListViews(org, queries);
  const limiter = new SalesforceLimiter();

  const oauth = new OauthSimulator({
    crm: 'salesforce',
    now,
    apiUrl: () => server.url,
    account: { organizationId, userId: org.apiUserId },
    ...options.oauth,
  });

  /** Returns the id of the org that a token is for; null when it is not accepted. */
  function findOrganization(authorization: string | undefined): string | null {
    const token = tokenOf(authorization);
    const access = oauth.check(token);
    if (access === 'ended') return null;
    if (access !== null) return access.organizationId;
    if (token === '' || (tokens !== 'any' && !tokens.includes(token))) return null;
    return options.organizationOf?.(token) ?? organizationId;
  }

  async function answer(request: SimulatedRequest): Promise<Answer> {
    const { method, url, headers, body } = request;
    const organization = findOrganization(headers.authorization);
    // A token that was not issued here belongs to the integration user.
    const isPrivate = organization !== null && oauth.check(tokenOf(headers.authorization)) === null;
    if (url.pathname === '/services/oauth2/userinfo' && isPrivate) return { status: 200, body: userInfo(organization) };
    const oauthAnswer = await oauth.answer(request);
    if (oauthAnswer !== null) return oauthAnswer;
    if (/^\/services\/data\/?$/.test(url.pathname)) {
      const version = org.isBroken('salesforce-1') ? '65.0' : '66.0';
      return { status: 200, body: [{ label: "Spring '26", url: `/services/data/v${version}`, version }] };
    }
    if (organization === null) return invalidSession().toAnswer();
    const { headers: limits, refusal } = limiter.count();
    if (refusal !== null) return refusal;
    const answered = answerRequest({ org, queries, listViews, limiter }, { method, url, headers, body });
    // An answer without content has no such header.
    return answered.status === 204 || org.isBroken('salesforce-13')
      ? answered
      : { ...answered, headers: { ...limits, ...answered.headers } };
  }

  function userInfo(organization: string): unknown {
    return {
      sub: `https://login.salesforce.com/id/${organization}/${org.apiUserId}`,
      user_id: org.apiUserId,
      organization_id: organization,
      preferred_username: 'integration@example.com',
      email: 'integration@example.com',
      active: true,
    };
  }

  function state(): SalesforceSimulatorState {
    const [contacts, leads, accounts, tasks] = Object.values(WRITTEN_TYPES).map((type) =>
      org.all(type).filter(({ writes }) => writes > 0),
    );
    const written = { contacts: contacts ?? [], leads: leads ?? [], accounts: accounts ?? [], tasks: tasks ?? [] };
    return structuredClone({
      ...written,
      counts: {
        contacts: written.contacts.length,
        leads: written.leads.length,
        accounts: written.accounts.length,
        tasks: written.tasks.length,
        requests: server.requestCount(),
        taskWrites: written.tasks.reduce((sum, { writes }) => sum + writes, 0),
      },
    });
  }

  const server = await startSimulatorServer<OrgFault>({
    ...(port === undefined ? {} : { port }),
    ...(faults === undefined ? {} : { faults }),
    now,
    answerFault,
    answer,
    state,
  });

  return {
    url: server.url,
    organizationId,
    oauth,
    records: (type) => structuredClone(org.all(type)),
    state,
    requests: server.requests,
    failNext: server.failNext,
    failRecords: (count, fault) => org.failRecords(count, fault),
    setRateLimit: (limit) => limiter.set(limit),
    configure: (changes) => org.configure(changes),
    seed: (type, values) => org.seed(type, values).id,
    edit(id, values) {
      Object.assign(org.find(id)?.values ?? {}, values);
    },
    delete: (id) => org.delete(id),
    convertLead: (id) => org.convertLead(id),
    lock: (id, isLocked) => org.lock(id, isLocked),
    createCampaign(emails) {
      const { id } = org.seed('Campaign', { Name: 'Do not contact' });
      for (const email of emails) {
        const contact = org.seed('Contact', { LastName: email, Email: email });
        org.seed('CampaignMember', { CampaignId: id, ContactId: contact.id, Email: email });
      }
      return id;
    },
    createListView: (view) => listViews.create(view),
    setPageSize: (rows) => queries.setPageSize(rows),
    endCursors: () => queries.endCursors(),
    reset() {
      org.reset(settings);
      queries.reset();
      listViews.reset();
      limiter.set(null);
      oauth.reset();
      server.reset();
    },
    close: server.close,
  };
}

function tokenOf(authorization: string | undefined): string {
  return /^(?:Bearer|OAuth) (.+)$/i.exec(authorization ?? '')?.[1] ?? '';
}

function answerFault(fault: number | OrgFault, headers: Record<string, string>): Answer {
  return { ...toRefusal(fault).toAnswer(), headers };
}

function toRefusal(fault: number | OrgFault): Refusal {
  switch (fault) {
    case 'total-requests':
      return totalRequestsExceeded();
    case 'concurrent-requests':
      return concurrentRequestsExceeded();
    case 'session':
    case 401:
      return invalidSession();
    case 'policy':
      return new Refusal(401, 'INVALID_SESSION_ID', 'This session is not valid for use with the REST API');
    default: {
      const code = fault >= 500 ? 'SERVER_UNAVAILABLE' : fault === 403 ? 'INSUFFICIENT_ACCESS' : 'UNKNOWN_EXCEPTION';
      return new Refusal(fault, code, `simulated ${fault}`);
    }
  }
}
