/** Builds the mock of a test from the engine and the platform. */
import { toBranding, unbrandKey } from '@svc/domain/pages/branding';
import { parseWorld } from '@svc/domain/world';
import { parse } from './control/route.ts';
import { faultRuleSchema } from './control/schemas.ts';
import { createDb } from './db/db.ts';
import type { MockDb } from './db/types.ts';
import { demoWorld } from './demo-world.ts';
import {
  type CreateMockOptions,
  type ListenOptions,
  type Mock,
  type MockClock,
  type MockKeys,
  type MockServer,
  type MockSettings,
  type MockWorld,
  type MockWorldOptions,
  VerificationError,
} from './mock-types.ts';
import { createEngine, type Engine } from './service/engine.ts';
import { addFault, removeFault } from './service/faults.ts';
import { dropHeldEvents, listHeldEvents, releaseHeldEvents } from './service/jobs/hold-events.ts';
import { trigger } from './service/trigger.ts';
import type { NewIsolatedWorld } from './service/worlds.ts';
import { createMockFetch, type MockFetchOptions } from './skins/fetch.ts';
import { createMswHandler } from './skins/msw.ts';
import { postWithFetch } from './skins/post-with-fetch.ts';
import { setBackgroundTimer } from './skins/timers.ts';
import { parseDuration } from './state/clock.ts';
import { EMPTY_HISTORY, entriesOf } from './state/history.ts';
import { assertReceiverAllowed } from './state/receivers.ts';
import type { ScenarioName } from './state/scenario-names.ts';
import { applyScenarios } from './state/scenarios.ts';
import { resetWorld, restoreSnapshot, takeSnapshot } from './state/snapshots.ts';
import { parseMailFrom } from './state/settings.ts';
import { findMails, findPosts } from './state/traffic.ts';
import { findCalls, verifyCalls } from './state/verify.ts';
import { update, type World } from './state/world.ts';

/** The parts of a mock that differ between Node and browsers. */
export interface Platform {
  readonly decompress: NonNullable<MockFetchOptions['decompress']>;
  readonly listen: (
    engine: Engine,
    options: ListenOptions & { readonly allowsRemoteReceivers: boolean },
  ) => Promise<MockServer>;
}

const DEFAULT_BASE_URL = 'http://127.0.0.1:4010';

export function createMockOn(platform: Platform, options: CreateMockOptions): Mock {
  const allowsRemoteReceivers = options.allowsRemoteReceivers === true;
  const { now, seed, rateLimit = 'off', trustedProxies = 0, runsJobs = true, latencyMs = 0 } = options;
  const toSettings = (settings: Partial<MockSettings>) => withReceivers(settings, allowsRemoteReceivers);
  const engine = createEngine({
    file: options.world === undefined ? demoWorld() : parseWorld(options.world),
    branding: toBranding(options),
    realNow: options.realNow ?? (() => new Date()),
    setTimer: setBackgroundTimer,
    post: postWithFetch,
    baseUrl: options.baseUrl ?? DEFAULT_BASE_URL,
    reportError: (error) => console.error('svc-mock:', error),
    settings: toSettings({ rateLimit, trustedProxies, runsJobs, latencyMs, receivers: options.receivers ?? {} }),
    scenarios: toNames(options.scenario),
    now: now === undefined ? undefined : toInstant(now),
    seed,
  });
  const suggestBaseUrl = (baseUrl: string) => {
    if (options.baseUrl === undefined) engine.setBaseUrl(baseUrl);
  };
  const answerAt = (baseUrl?: string) =>
    createMockFetch({
      handle: (request) => engine.handle(request),
      baseUrl: () => baseUrl ?? engine.deps.urls.api,
      decompress: platform.decompress,
    });
  const servers = new Set<MockServer>();
  const first = engine.worlds.default;
  const keys = Object.fromEntries(
    first.initial.data.apiKeys.map(({ token }) => [unbrandKey(token, engine.branding), token]),
  );

  return withMembers(createMockWorld(engine, first, keys as MockKeys, toSettings), {
    fetch: answerAt(),
    handlers(baseUrl = options.baseUrl ?? DEFAULT_BASE_URL) {
      suggestBaseUrl(baseUrl);
      return [createMswHandler(baseUrl, answerAt(baseUrl))];
    },
    async listen(wanted: ListenOptions = {}) {
      const server = await platform.listen(engine, { ...wanted, allowsRemoteReceivers });
      engine.setBaseUrl(options.baseUrl ?? server.url);
      servers.add(server);
      return {
        url: server.url,
        async close() {
          if (servers.delete(server)) await server.close();
        },
      };
    },
    worlds: {
      create(wanted: MockWorldOptions = {}) {
        const isolated = engine.worlds.create(toNewWorld(wanted, toSettings));
        const world = createMockWorld(engine, isolated.world, isolated.keys as MockKeys, toSettings);
        return withMembers(world, { delete: () => void engine.worlds.delete(world.id) });
      },
    },
    async close() {
      engine.close();
      const open = [...servers];
      servers.clear();
      await Promise.all(open.map((server) => server.close()));
    },
  });
}

function createMockWorld(
  engine: Engine,
  world: World,
  keys: MockKeys,
  toSettings: (settings: Partial<MockSettings>) => Partial<MockSettings>,
): MockWorld {
  let db: MockDb | null = null;
  return {
    id: world.id,
    keys,
    get db() {
      db ??= createDb(world, () => engine.now(world));
      return db;
    },
    clock: createClock(engine, world),
    faults: {
      add(rule) {
        parse(faultRuleSchema, rule, 'The fault');
        return addFault(world, rule);
      },
      list: () => world.state.faults,
      remove: (id) => removeFault(world, id),
      clear: () => update(world, { faults: [] }),
    },
    journal: {
      all: () => entriesOf(world.state.journal),
      find: (filter) => findCalls(world.state.journal, filter),
      clear: () => update(world, { journal: EMPTY_HISTORY }),
    },
    outbox: {
      all: () => entriesOf(world.state.outbox),
      find: (filter) => findPosts(world.state.outbox, filter),
      clear: () => update(world, { outbox: EMPTY_HISTORY }),
    },
    mails: {
      all: () => entriesOf(world.state.mails),
      find: (filter) => findMails(world.state.mails, filter),
      clear: () => update(world, { mails: EMPTY_HISTORY }),
    },
    verify(expectation) {
      const { ok, message, calls } = verifyCalls(world.state.journal, expectation);
      if (!ok) throw new VerificationError(message);
      return calls;
    },
    held: {
      all: () => listHeldEvents(world, engine.now(world)),
      release: (filter = {}) => releaseHeldEvents(world, engine.now(world), filter),
      drop: (filter = {}) => dropHeldEvents(world, engine.now(world), filter),
    },
    trigger(type, data, of = {}) {
      const event = trigger(world, type, {
        ...of,
        ...(data === undefined ? {} : { data }),
        now: engine.now(world),
        dashboardUrl: engine.deps.urls.dashboard,
      });
      return { eventId: event.id };
    },
    scenario: (...names) => applyScenarios(world, names, { now: engine.now(world) }),
    configure: (changes) => update(world, { settings: { ...world.state.settings, ...toSettings(changes) } }),
    snapshot: (name) => takeSnapshot(world, name),
    restore: (name) => restoreSnapshot(world, name),
    reset: () => resetWorld(world),
    settle: () => engine.settle(world),
  };
}

function createClock(engine: Engine, world: World): MockClock {
  return {
    get now() {
      return engine.now(world);
    },
    freeze: (at) => engine.freeze(world, at === undefined ? undefined : toInstant(at)),
    advance: async (duration) => engine.advance(world, parseDuration(duration)),
    resume: () => engine.resume(world),
  };
}

/** Adds members to an object and keeps getters as getters. */
function withMembers<Target extends object, Members extends object>(
  target: Target,
  members: Members,
): Target & Members {
  return Object.defineProperties(target, Object.getOwnPropertyDescriptors(members)) as Target & Members;
}

function toNewWorld(
  { now, scenario, settings, ...rest }: MockWorldOptions,
  toSettings: (settings: Partial<MockSettings>) => Partial<MockSettings>,
): NewIsolatedWorld {
  return {
    ...rest,
    now: now === undefined || now === null ? now : toInstant(now),
    scenarios: scenario === undefined ? undefined : toNames(scenario),
    settings: settings && toSettings(settings),
  };
}

/**
 * Returns the settings with the receivers' host names in lower case, as in URLs.
 * @throws ApiError 400 for a receiver that is not allowed, and for an invalid sender of mails
 */
function withReceivers(settings: Partial<MockSettings>, allowsRemote: boolean): Partial<MockSettings> {
  if (settings.mailFrom !== undefined) parseMailFrom(settings.mailFrom);
  if (settings.receivers === undefined) return settings;
  const receivers = Object.entries(settings.receivers).map(([host, url]) => {
    assertReceiverAllowed(url, allowsRemote);
    return [host.toLowerCase(), url];
  });
  return { ...settings, receivers: Object.fromEntries(receivers) };
}

function toNames(scenario: CreateMockOptions['scenario']): readonly ScenarioName[] {
  if (scenario === undefined) return [];
  return typeof scenario === 'string' ? [scenario] : scenario;
}

function toInstant(value: Date | string): Date {
  const instant = new Date(value);
  if (!Number.isNaN(instant.getTime())) return instant;
  throw new RangeError(
    `An instant must be a Date or an ISO-8601 text such as 2026-01-15T12:00:00Z, not ${String(value)}.`,
  );
}
