/**
 * The worlds of a mock: the default world and isolated copies. A copy has its own keys and ingress codes, which identify its
 * calls, and shares the rows that it has not changed.
 */
import { type Branding, brandWorld, DEFAULT_BRANDING, unbrandKey } from '@svc/domain/pages/branding';
import { ApiError, badRequest } from '@svc/domain/errors/errors';
import { quoteInput } from '@svc/domain/values/quote-input';
import { createRandom } from '@svc/domain/values/random';
import type { World as WorldFile } from '@svc/domain/world';
import { type ClockState, freezeAt, REAL_TIME, type RealNow } from '../state/clock.ts';
import { materialize } from '../state/materialize.ts';
import { memoize } from '../state/memoize.ts';
import type { ScenarioName } from '../state/scenario-names.ts';
import { applyScenarios } from '../state/scenarios.ts';
import { DEFAULT_SETTINGS, type Settings } from '../state/settings.ts';
import { toWorldData, type WorldData } from '../state/world-data.ts';
import { createWorld, type World } from '../state/world.ts';
import { bearerOf } from './access.ts';
import { shortenKey } from './shorten-key.ts';
import type { MockRequest } from './call.ts';
import { findSourceByPath } from './handlers/inbound.ts';
import { pathOf } from '@svc/domain/requests/match-route';

const DEFAULT_WORLD_ID = 'default';
/** Header that names the world of a call without a key of an isolated world. */
const WORLD_HEADER = 'svc-world';

export interface WorldsOptions {
  /** Initial data of every world. */
  readonly file: WorldFile;
  readonly realNow: RealNow;
  /** Freezes the clocks of new worlds at this instant. Default: they run with the real clock. */
  readonly now?: Date | undefined;
  readonly settings?: Partial<Settings> | undefined;
  /** Default: the contract's prefixes. */
  readonly branding?: Branding | undefined;
  readonly scenarios?: readonly ScenarioName[] | undefined;
  /** Seed of the random generators. Default 1. */
  readonly seed?: number | undefined;
  /** Maximum number of isolated worlds. Default 1,000. */
  readonly worldsMax?: number | undefined;
  /** Called with each new world; the returned function is called when the world is deleted. */
  readonly onWorld?: (world: World) => () => void;
}

export interface NewIsolatedWorld {
  /** At most 32 letters, digits, - and _. Default: a generated id. */
  readonly id?: string | undefined;
  /** Freezes the clock at this instant; `null` lets it run. Default: the mock's option. */
  readonly now?: Date | null | undefined;
  /** Default: the mock's option. */
  readonly scenarios?: readonly ScenarioName[] | undefined;
  readonly settings?: Partial<Settings> | undefined;
  readonly seed?: number | undefined;
}

export interface IsolatedWorld {
  readonly world: World;
  /** The token of each key, by its token in the world file. */
  readonly keys: Readonly<Record<string, string>>;
}

export interface Worlds {
  readonly default: World;
  /** @throws NewWorldError when the id is taken or malformed, or there are too many */
  create(options?: NewIsolatedWorld): IsolatedWorld;
  get(id: string): World | undefined;
  list(): readonly World[];
  /** @returns whether an isolated world was deleted; the default world cannot be */
  delete(id: string): boolean;
  /**
   * Returns the world of an API call or inbound post: by key, ingress code or `Svc-World` header, else the default world.
   * @throws ApiError 404 when only the header names a world, and that does not exist
   */
  of(request: MockRequest): World;
  /**
   * Returns the world that a control call names by its key or the `Svc-World` header, the default world without both.
   * @throws ApiError 404 for a key or a name of no world, 400 when they name different worlds
   */
  namedBy(request: MockRequest): World;
  /** Returns the world with this id. @throws ApiError 404 that lists the worlds */
  require(id: string): World;
}

/** Thrown when a world cannot be created. The message says what to do. */
export class NewWorldError extends Error {
  override readonly name = 'NewWorldError';
}

/** Worlds with running clocks share initial data of at most this age. */
const INITIAL_DATA_MAX_AGE_MS = 5_000;
/** Instants whose initial data is cached. */
const CACHED_INSTANTS_MAX = 8;
/** Initial data by instant. Mocks of the same file share it, which makes a mock per test cheap. */
const initialDataByInstant = memoize((_file: WorldFile) => new Map<number, WorldData>());
/** Files by key and secret prefix, so that mocks with the same prefixes share their rows too. */
const brandedFilesOf = memoize((_file: WorldFile) => new Map<string, WorldFile>());

function brandFile(file: WorldFile, branding: Branding): WorldFile {
  const known = brandedFilesOf(file);
  const prefixes = `${branding.keyPrefix} ${branding.secretPrefix}`;
  const branded = known.get(prefixes) ?? brandWorld(file, branding);
  known.set(prefixes, branded);
  return branded;
}

export function createWorlds(options: WorldsOptions): Worlds {
  const { realNow, onWorld = () => () => {}, worldsMax = 1_000, seed = 1, branding = DEFAULT_BRANDING } = options;
  const file = brandFile(options.file, branding);
  const isolated = new Map<string, { readonly world: World; readonly end: () => void }>();
  const random = createRandom(seed);
  const cache = initialDataByInstant(file);

  /** Returns the file's data at an instant; with `isExact` false, cached data that is a little older will do. */
  function initialDataAt(now: Date, isExact: boolean): WorldData {
    const atMs = now.getTime();
    const isRecent = (eachMs: number) => eachMs <= atMs && atMs - eachMs <= INITIAL_DATA_MAX_AGE_MS;
    const cachedMs = (isExact ? undefined : [...cache.keys()].find(isRecent)) ?? atMs;
    const data = cache.get(cachedMs) ?? toWorldData(materialize(file, now), now);
    // Moved to the end, so that the map is ordered by last use.
    cache.delete(cachedMs);
    cache.set(cachedMs, data);
    const [leastRecent] = cache.keys();
    if (cache.size > CACHED_INSTANTS_MAX && leastRecent !== undefined) cache.delete(leastRecent);
    return data;
  }

  function build(id: string, wanted: NewIsolatedWorld, change: (data: WorldData) => WorldData): World {
    const frozenAt = wanted.now === undefined ? options.now : (wanted.now ?? undefined);
    const now = frozenAt ?? realNow();
    const clock: ClockState = frozenAt === undefined ? REAL_TIME : freezeAt(frozenAt);
    const settings = { ...DEFAULT_SETTINGS, ...options.settings, ...wanted.settings };
    const data = change(initialDataAt(now, frozenAt !== undefined));
    const others = () => all().filter((other) => other.id !== id);
    const world = createWorld({ id, data, clock, settings, seed: wanted.seed ?? seed, branding, others });
    applyScenarios(world, wanted.scenarios ?? options.scenarios ?? [], { now });
    world.initial = world.state;
    return world;
  }

  function newId(): string {
    for (;;) {
      const id = Math.floor(random() * 36 ** 6)
        .toString(36)
        .padStart(6, '0');
      if (!isolated.has(id)) return id;
    }
  }

  const first = build(DEFAULT_WORLD_ID, {}, (data) => data);
  onWorld(first);
  const all = () => [first, ...[...isolated.values()].map(({ world }) => world)];

  const get = (id: string) => (id === DEFAULT_WORLD_ID ? first : isolated.get(id)?.world);
  const require = (id: string): World => {
    const world = get(id);
    if (world === undefined) throw unknownWorld(id, all());
    return world;
  };

  return {
    default: first,
    create(wanted = {}) {
      const id = wanted.id ?? newId();
      assertNewId(id, isolated);
      if (isolated.size >= worldsMax) {
        throw new NewWorldError(`There are ${worldsMax} worlds already: delete worlds that are no longer used.`);
      }
      const keys: Record<string, string> = {};
      const world = build(id, wanted, (data) => withOwnKeys(data, id, keys, branding));
      isolated.set(id, { world, end: onWorld(world) });
      return { world, keys };
    },
    get,
    list: all,
    delete(id) {
      isolated.get(id)?.end();
      return isolated.delete(id);
    },
    of(request) {
      const id = request.headers[WORLD_HEADER];
      if (isolated.size === 0 && id === undefined) return first;
      return (
        findByKey(all(), request, branding) ?? findByCode(all(), request) ?? (id === undefined ? first : require(id))
      );
    },
    namedBy(request) {
      const { authorization, [WORLD_HEADER]: id } = request.headers;
      const named = id === undefined ? undefined : require(id);
      if (authorization === undefined) return named ?? first;
      const ofKey = findByKey(all(), request, branding);
      if (ofKey === undefined) throw unknownKey(authorization, all());
      if (named === undefined || named === ofKey) return ofKey;
      throw badRequest(
        `The key in Authorization is one of world "${ofKey.id}", but Svc-World names "${named.id}": send only one of them.`,
      );
    },
    require,
  };
}

function unknownWorld(id: string, worlds: readonly World[]): ApiError {
  return new ApiError(404, `World ${quoteInput(id)} does not exist. ${listWorlds(worlds)}`);
}

/** The refusal of a control call whose key no world has. It names the world that the key belonged to, never the key in full. */
function unknownKey(authorization: string, worlds: readonly World[]): ApiError {
  const token = authorization.replace(/^bearer\b\s*/i, '');
  const deletedId = worldIdOf(token, worlds);
  if (deletedId !== null) {
    return new ApiError(
      404,
      `The key in Authorization is one of world "${deletedId}", which does not exist (any more). ${listWorlds(worlds)}`,
    );
  }
  const sent = token === '' ? 'no key' : `the key ${shortenKey(token)}, which no world has`;
  return new ApiError(
    404,
    `Authorization holds ${sent}. Send a key of the world, or no Authorization for the default world. ${listWorlds(worlds)}`,
  );
}

/** Returns the id that a token ends with if it is one of the default world's with an id appended, else null. */
export function worldIdOf(token: string, worlds: readonly World[]): string | null {
  const original = worlds.find(({ id }) => id === DEFAULT_WORLD_ID) ?? worlds[0];
  const own = original?.initial.data.apiKeys.map((key) => key.token) ?? [];
  // The longest: one token can begin like another.
  const [base] = own.filter((each) => token.startsWith(`${each}_`)).toSorted((a, b) => b.length - a.length);
  const id = base === undefined ? '' : token.slice(base.length + 1);
  return WORLD_ID.test(id) ? id : null;
}

const LISTED_MAX = 10;

function listWorlds(worlds: readonly World[]): string {
  const ids = worlds.slice(0, LISTED_MAX).map(({ id }) => id);
  const rest = worlds.length - ids.length;
  return `Worlds: ${ids.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

const WORLD_ID = /^[\w-]{1,32}$/;

function assertNewId(id: string, taken: ReadonlyMap<string, unknown>): void {
  if (!WORLD_ID.test(id)) {
    throw new NewWorldError(`A world's id must be 1 to 32 letters, digits, - and _, not "${id.slice(0, 40)}".`);
  }
  if (id === DEFAULT_WORLD_ID || taken.has(id))
    throw new NewWorldError(`A world "${id}" exists already: choose another id.`);
}

/** Appends the world's id to every token and ingress code, so that no other world has them. */
function withOwnKeys(data: WorldData, id: string, keys: Record<string, string>, branding: Branding): WorldData {
  const apiKeys = data.apiKeys.map((key) => {
    const token = `${key.token}_${id}`;
    keys[unbrandKey(key.token, branding)] = token;
    return { ...key, token };
  });
  const sources = data.sources.map((source) => ({ ...source, path: `${source.path}-${id}` }));
  return { ...data, apiKeys, sources };
}

const tokensOf = memoize((keys: WorldData['apiKeys']): ReadonlySet<string> => new Set(keys.map(({ token }) => token)));

/** Finds the world of the request's key. Revoked keys count too: their own world refuses the call. */
function findByKey(worlds: readonly World[], request: MockRequest, branding: Branding): World | undefined {
  const token = bearerOf(request, branding);
  return token === null ? undefined : worlds.find(({ state }) => tokensOf(state.data.apiKeys).has(token));
}

function findByCode(worlds: readonly World[], { method, target }: MockRequest): World | undefined {
  const code = method === 'POST' ? /^\/webhooks\/(.+)$/.exec(pathOf(target))?.[1] : undefined;
  return code === undefined ? undefined : worlds.find((world) => findSourceByPath(world, code) !== undefined);
}
