/**
 * Permission for calls to CRMs, shared by all processes: one row per connection (`crm_quotas`), decided by the rules of
 * `@svc/domain/syncs/crm-quota`.
 *
 * Each process keeps the state that it stored last. A permission stores the next state over exactly that one, in one
 * statement with those of other connections; when another process was faster, the state is read again. What an answer says is stored only when it changes
 * something, because the next permission is enough for the rest.
 */
import type { CrmCall, CrmError, CrmQuota, CrmQuotaReport } from '@svc/crm';
import { DAILY_LIMIT_REACHED } from '@svc/domain/syncs/connection-error';
import type { CrmDay } from '@svc/domain/syncs/crm-quota-day';
import {
  type CrmLimits,
  type CrmPermission,
  type CrmQuotaCall,
  type CrmQuotaState,
  learnFromAnswer,
  newCrmQuota,
  takeCrmCall,
} from '@svc/domain/syncs/crm-quota';
import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';
import { crmCallStatus, crmLabel, type Metrics } from '../runtime/metrics.ts';
import { activeSpan, type OpenSpan } from '../runtime/tracing.ts';
import { getCrmQuota, type QuotaChange, setCrmQuotas, type StoredQuota } from '../store/crm-quotas.ts';
import { createBatcher } from '../store/database/batcher.ts';
import type { Database } from '../store/database/db.ts';
import { describeUse } from './describe-quota.ts';

export interface CrmQuotasOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** Share of a CRM's daily limit that may be used, above 0, at most 1. */
  dailyShare: number;
  /** The limits of a CRM type until its answers tell others. */
  limitsOf: (crm: string) => CrmLimits;
  /** Ends waits when the process stops; the calls themselves end by it too. */
  signal: AbortSignal;
}

/** Longest wait inside `take`: a window that is used up, with the longest published one. */
const WAIT_MAX_MS = 12_000;
/** When nothing can be stored, for example because the database is away. */
const UNKNOWN_WAIT_MS = 5_000;
/** Each failed try means that another process stored its state. */
const TRIES_MAX = 200;
/** Connections whose state this process keeps. */
const KEPT_MAX = 10_000;

/** Returns the quotas of this process: a function from a connection to its quota. */
export function createCrmQuotas(options: CrmQuotasOptions): (connection: { id: number; crm: string }) => CrmQuota {
  const states = new Map<number, QuotaOfConnection>();
  const store = createBatcher<QuotaChange, boolean>({
    run: async (changes) => {
      // A connection that was forgotten meanwhile (`KEPT_MAX`) may be there twice.
      const first = new Map(changes.toReversed().map((change) => [change.connectionId, change]));
      const stored = await setCrmQuotas(options.db, [...first.values()]);
      return changes.map((change) => first.get(change.connectionId) === change && stored.has(change.connectionId));
    },
  });
  return (connection) => {
    const known = states.get(connection.id) ?? new QuotaOfConnection(options, connection, store);
    // The one that was used last is the last one to go.
    states.delete(connection.id);
    states.set(connection.id, known);
    for (const id of states.keys()) {
      if (states.size <= KEPT_MAX) break;
      states.delete(id);
    }
    return known;
  };
}

class QuotaOfConnection implements CrmQuota {
  readonly #options: CrmQuotasOptions;
  readonly #connection: { id: number; crm: string };
  /** Returns whether the change was stored. */
  readonly #storeChange: (change: QuotaChange) => Promise<boolean>;
  /** Null before it was read, and when another process has changed it. */
  #stored: StoredQuota | null = null;
  /** The spans of calls that are under way. */
  readonly #spans = new WeakMap<CrmCall, OpenSpan>();
  /** Stores changes of this process one after the other, those that come together in one statement. */
  readonly #change: (change: QuotaDecision) => Promise<Change>;

  constructor(
    options: CrmQuotasOptions,
    connection: { id: number; crm: string },
    store: (change: QuotaChange) => Promise<boolean>,
  ) {
    this.#options = options;
    this.#connection = connection;
    this.#storeChange = store;
    this.#change = createBatcher({ run: (decisions) => this.#store(decisions) });
  }

  async take(call: CrmCall): Promise<{ untilMs: number; error: CrmError } | null> {
    const { clock, signal } = this.#options;
    const latestMs = clock.now().getTime() + WAIT_MAX_MS;
    for (;;) {
      const permission = await this.#permit(toQuotaCall(call));
      // A call of a process that stops is aborted before it is sent.
      if (permission.kind === 'allowed' || signal.aborted) {
        this.#beginSpan(call);
        return null;
      }
      const { kind, untilMs } = permission;
      if (kind !== 'paced' || untilMs > latestMs) return { untilMs, error: this.#refusal(permission) };
      await this.#waitUntil(untilMs);
    }
  }

  async report(call: CrmCall, answer: CrmQuotaReport): Promise<void> {
    const { clock, metrics, log } = this.#options;
    const crm = crmLabel(this.#connection.crm);
    const status = crmCallStatus(answer.httpStatus);
    metrics.crmCalls.inc({ crm, operation: call.operation, status });
    this.#endSpan(call, status);
    try {
      await this.#change({
        decide: (state) => ({ state: learnFromAnswer(state, toQuotaCall(call), answer, clock.now().getTime()) }),
        isFinal: true,
      });
    } catch (error) {
      log.warn({ err: error, connectionId: this.#connection.id }, 'the limits of a CRM could not be stored');
    }
  }

  #beginSpan(call: CrmCall): void {
    const crm = crmLabel(this.#connection.crm);
    const attributes = { 'svc.crm': crm, 'svc.crm.operation': call.operation };
    const span = activeSpan()?.child({ name: `${crm} ${call.operation}`, kind: 'client', attributes });
    if (span !== undefined) this.#spans.set(call, span);
  }

  #endSpan(call: CrmCall, status: string): void {
    const span = this.#spans.get(call);
    span?.set('svc.crm.status', status);
    span?.end(status.startsWith('2') ? undefined : status);
  }

  async #permit(call: CrmQuotaCall): Promise<Permission> {
    const { clock, dailyShare, log } = this.#options;
    try {
      const { before, after, permission } = await this.#change({
        decide: (state) => takeCrmCall(state, call, { nowMs: clock.now().getTime(), share: dailyShare }),
        // Another process may know that there is room again.
        isFinal: false,
      });
      if (permission === undefined) throw new Error('the decision is about a permission');
      this.#logStop(before, after);
      return permission.kind === 'stopped' ? { ...permission, day: after.day } : permission;
    } catch (error) {
      log.warn({ err: error, connectionId: this.#connection.id }, 'the permission for a call to a CRM is not known');
      return { kind: 'unknown', untilMs: clock.now().getTime() + UNKNOWN_WAIT_MS };
    }
  }

  /** Stores what the decisions make of the newest state, each of what the one before it made. Returns a change for each. */
  async #store(decisions: readonly QuotaDecision[]): Promise<Change[]> {
    const { id: connectionId } = this.#connection;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const isNewest = this.#stored === null;
      const { version, state: stored } = this.#stored ?? (await this.#read());
      let state = stored;
      const changes = decisions.map(({ decide }) => {
        const before = state;
        const decided = decide(before);
        state = decided.state;
        return { before, after: state, permission: decided.permission };
      });
      const isUnchanged = state === stored;
      if (isUnchanged && (isNewest || decisions.every(({ isFinal }) => isFinal))) return changes;
      if (!isUnchanged && (await this.#storeChange({ connectionId, before: version, state }))) {
        this.#stored = { version: version + 1, state };
        return changes;
      }
      this.#stored = null;
    }
    throw new Error(`The quota of connection ${connectionId} was changed by other processes all the time.`);
  }

  async #read(): Promise<StoredQuota> {
    const { db, clock, limitsOf } = this.#options;
    const { id, crm } = this.#connection;
    const stored = (await getCrmQuota(db, id)) ?? {
      version: 0,
      state: newCrmQuota(limitsOf(crm), clock.now().getTime()),
    };
    this.#stored = stored;
    return stored;
  }

  #waitUntil(untilMs: number): Promise<void> {
    const { clock, signal } = this.#options;
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = clock.setTimer(end, Math.max(0, untilMs - clock.now().getTime()));
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    });
  }

  #logStop(before: CrmQuotaState, after: CrmQuotaState): void {
    const { log } = this.#options;
    const { id: connectionId, crm } = this.#connection;
    const fields = { connectionId, crm, used: after.day.used, limit: after.day.limit };
    if (before.day.stop === null && after.day.stop !== null) {
      const nextLookAt = new Date(after.day.stop.lookMs);
      log.warn({ ...fields, nextLookAt }, `the share of the daily limit of ${crm} is used up; its events wait`);
    } else if (before.day.stop !== null && after.day.stop === null) {
      log.info(fields, `${crm} counts a new day; its events are written again`);
    }
  }

  #refusal(permission: Exclude<Permission, { kind: 'allowed' }>): CrmError {
    const { crm } = this.#connection;
    if (permission.kind === 'stopped') {
      const message = `${describeUse(crm, permission.day)}, and the rest is left to its other apps (SVC_CRM_DAILY_SHARE)`;
      return { code: DAILY_LIMIT_REACHED, message, httpStatus: null };
    }
    const message = {
      paused: `${crm} refused a call because there were too many`,
      paced: `The calls that ${crm} allows in a short time are used up`,
      unknown: `The permission for a call to ${crm} could not be read from the database`,
    }[permission.kind];
    return { code: 'rate_limited', message, httpStatus: null };
  }
}

type Permission =
  | Exclude<CrmPermission, { kind: 'stopped' }>
  | (Extract<CrmPermission, { kind: 'stopped' }> & { day: CrmDay })
  | { kind: 'unknown'; untilMs: number };

interface QuotaDecision {
  /** Returns the next state, and whether a call that asks may be made. Called again when another process has changed the state meanwhile. */
  decide: (state: CrmQuotaState) => { state: CrmQuotaState; permission?: CrmPermission };
  /** Whether a decision that changes nothing also holds for a state that is not the newest one. */
  isFinal: boolean;
}

interface Change {
  before: CrmQuotaState;
  after: CrmQuotaState;
  permission: CrmPermission | undefined;
}

function toQuotaCall({ cost, bucket }: CrmCall): CrmQuotaCall {
  return { cost, isSearch: bucket === 'search' };
}
