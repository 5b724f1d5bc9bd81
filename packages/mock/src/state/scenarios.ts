/** Scenarios: named changes of a world that can be combined. */
import { resyncBlocklist } from '@svc/domain/blocklists/blocklist';
import type { WritePolicy } from '@svc/domain/policy/write-policy';
import type { ConnectionRow } from '@svc/domain/world';
import type { Fault } from './fault.ts';
import { EMPTY_KEYS } from './key-set.ts';
import { largeSyncs } from './large-syncs.ts';
import { EMPTY_LOG } from './log.ts';
import { connectionsById } from './row-indexes.ts';
import { isScenarioName, SCENARIO_NAMES, type ScenarioName } from './scenario-names.ts';
import type { Settings } from './settings.ts';
import { addJob, type BlocklistRow, type Job, removeJob, type WorldData } from './world-data.ts';
import { update, updateData, type World } from './world.ts';

export interface ScenarioContext {
  /** World time. */
  readonly now: Date;
}

type Scenario = (world: World, context: ScenarioContext) => void;

const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  /** No blockers and no warnings: every connection works, no errors are recorded, and capabilities without configuration are off. */
  ready: (world) =>
    updateData(world, {
      connections: world.state.data.connections.map((row) => ({
        ...row,
        crmToken: row.crmToken ?? 'demo-crm-token',
        recordedError: null,
        capabilities: usedCapabilities(world.state.data, row),
      })),
      blocklists: world.state.data.blocklists.map((row) => ({ ...row, lastError: null })),
    }),

  /** Every connection is disconnected from its CRM. */
  'not-ready': (world) =>
    updateData(world, {
      connections: world.state.data.connections.map((row) => ({ ...row, crmToken: null })),
    }),

  /** Only accounts, keys and connections. */
  empty: (world) =>
    updateData(world, {
      sources: [],
      destinations: [],
      replyRelays: [],
      blocklists: [],
      webhooks: [],
      categorySignals: [],
      relayHours: [],
      heldEvents: [],
      releasedLeads: [],
      syncHealth: [],
      requests: EMPTY_LOG,
      syncs: EMPTY_LOG,
      deliveries: EMPTY_LOG,
      events: EMPTY_LOG,
      webhookDeliveries: EMPTY_LOG,
      seenEvents: EMPTY_KEYS,
      jobs: [],
    }),

  /** 100,000 more syncs over the last 30 days on the API-enabled connections of the first account. */
  large: (world, { now }) => updateData(world, { syncs: largeSyncs(world.state.data, now) }),

  /** The API's rate limits with every account's first window used up: its first calls are refused for a minute. */
  'rate-limited': (world) => {
    update(world, { rateWindows: new Map() });
    changeSettings(world, { rateLimit: 'spec', limitsBeginSpent: true });
  },

  /** One call in seven fails with a 500, a 503, a reset or a truncated answer. The seed decides which. */
  flaky: (world) =>
    addFaults(world, [
      { id: 'flaky-500', probability: 0.05, effect: { kind: 'status', status: 500 } },
      { id: 'flaky-503', probability: 0.04, effect: { kind: 'status', status: 503, retryAfterSeconds: 1 } },
      { id: 'flaky-reset', probability: 0.03, effect: { kind: 'reset', when: 'before' } },
      { id: 'flaky-truncate', probability: 0.02, effect: { kind: 'truncate' } },
    ]),

  /** Every API answer takes 1.5 seconds. */
  slow: (world) => changeSettings(world, { latencyMs: 1_500 }),

  /** Every key is revoked. */
  'revoked-key': (world, { now }) =>
    updateData(world, {
      apiKeys: world.state.data.apiKeys.map((key) => ({ ...key, revokedAt: key.revokedAt ?? now })),
    }),

  /** The CRM refuses every write, retries included; the third event of a source raises `sync.failed`. */
  'syncs-failing': (world) =>
    changeSettings(world, { crmFailures: [...world.state.settings.crmFailures, { status: 'error', error: REFUSED }] }),

  /** Every resyncable block list is FETCHING for an hour. */
  'resync-in-progress': (world, { now }) => {
    const endsAt = new Date(now.getTime() + 3_600_000);
    for (const list of world.state.data.blocklists) {
      const fetch = activeFetch(world.state.data, list);
      if (fetch !== undefined) postpone(world, fetch, endsAt);
      else if (canBeResynced(world.state.data, list)) startResync(world, list, endsAt);
    }
  },

  /** Lists scan at most 20 rows per page, so filtered pages are short or empty with `hasMore`. */
  'short-pages': (world) => changeSettings(world, { scanCap: 20 }),

  /** Unknown fields and values in every answer, as from a later release. */
  future: (world) => changeSettings(world, { isFuture: true }),

  /** Webhooks and the event log are disabled for every account. */
  'webhooks-disabled': (world) =>
    updateData(world, {
      accounts: world.state.data.accounts.map((row) => ({ ...row, canUseWebhooks: false })),
    }),

  /** The write policy of every source holds the events of a lead until it replies. */
  'leads-held': (world) => setPolicy(world, { holdUntil: { reply: true, dropAfter: '30d' } }),

  /** The write policy of every source lets only replies and new categories through, and only a reply creates a contact. */
  'replies-only': (world) =>
    setPolicy(world, {
      create: 'on-reply',
      events: [
        {
          when: { types: ['EMAIL_REPLY', 'MESSAGE_REPLY', 'INMAIL_REPLY', 'LEAD_CATEGORY_UPDATED'] },
          write: ['timeline', 'fields', 'task'],
        },
        { when: {}, write: [] },
      ],
    }),
};

/** Applies scenarios in order. @throws RangeError for an unknown name, before anything is changed */
export function applyScenarios(world: World, names: readonly string[], context: ScenarioContext): void {
  const known = names.map((name) => {
    if (isScenarioName(name)) return name;
    throw new RangeError(`Unknown scenario "${name}". Scenarios: ${SCENARIO_NAMES.join(', ')}.`);
  });
  for (const name of known) {
    SCENARIOS[name](world, context);
    changeSettings(world, { scenarios: [...world.state.settings.scenarios, name] });
  }
}

const REFUSED = {
  code: 'crm_refused',
  message: 'The CRM refused the write: a required property is missing',
  httpStatus: 400,
};

/** Sets these parts of the write policy of every source. */
function setPolicy(world: World, parts: WritePolicy): void {
  const { sources } = world.state.data;
  updateData(world, { sources: sources.map((row) => ({ ...row, policy: { ...row.policy, ...parts } })) });
}

function changeSettings(world: World, changes: Partial<Settings>): void {
  update(world, { settings: { ...world.state.settings, ...changes } });
}

/** Returns a connection's capabilities, those without configuration switched off. */
function usedCapabilities(
  { destinations, replyRelays, blocklists }: WorldData,
  { id, capabilities }: ConnectionRow,
): ConnectionRow['capabilities'] {
  const isOfConnection = ({ connectionId }: { readonly connectionId: number }) => connectionId === id;
  const hasRelay = replyRelays.some((relay) => isOfConnection(relay) && relay.sourceIds.length > 0);
  return {
    ...capabilities,
    destinations: capabilities.destinations && (hasRelay || destinations.some(isOfConnection)),
    blocklists: capabilities.blocklists && blocklists.some(isOfConnection),
  };
}

function activeFetch({ jobs }: WorldData, { id, isEnabled }: BlocklistRow): Job | undefined {
  return isEnabled ? jobs.find((job) => job.kind === 'fetch-blocklist' && job.blocklistId === id) : undefined;
}

/** Returns whether the list could be resynced: allowed, with a CRM list, and not being fetched or pushed. */
function canBeResynced(data: WorldData, { id, connectionId, crmListId, status }: BlocklistRow): boolean {
  const isFetching = data.jobs.some((job) => job.kind === 'fetch-blocklist' && job.blocklistId === id);
  const isAllowed = connectionsById(data.connections).get(connectionId)?.capabilities.blocklists === true;
  return !isFetching && isAllowed && crmListId !== null && status !== 'SYNCING';
}

function startResync(world: World, list: BlocklistRow, endsAt: Date): void {
  const { data } = world.state;
  const next = { ...list, ...resyncBlocklist(list) };
  const blocklists = data.blocklists.map((row) => (row.id === list.id ? next : row));
  const work = { kind: 'fetch-blocklist', blocklistId: list.id, run: next.run, mode: 'full' } as const;
  updateData(world, addJob({ ...data, blocklists }, work, endsAt));
}

function postpone(world: World, job: Job, dueAt: Date): void {
  const { number: _number, dueAt: _dueAt, ...work } = job;
  if (job.dueAt < dueAt) updateData(world, addJob(removeJob(world.state.data, job), work, dueAt));
}

function addFaults(world: World, rules: readonly Omit<Fault, 'matchedCount' | 'hitCount'>[]): void {
  const faults = rules.map((rule): Fault => ({ ...rule, matchedCount: 0, hitCount: 0 }));
  const others = world.state.faults.filter(({ id }) => rules.every((rule) => rule.id !== id));
  update(world, { faults: [...others, ...faults] });
}
