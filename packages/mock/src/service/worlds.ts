/**
 * The worlds of a mock: the default one, and isolated copies with keys and ingress codes of their own, by which their calls find
 * them. Copies share every row they have not changed.
 */
import { type Branding, brandWorld, DEFAULT_BRANDING, unbrandKey } from '@svc/domain/pages/branding';
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
import type { MockRequest } from './call.ts';
import { findSourceByPath } from './handlers/inbound.ts';
import { pathOf } from './routes.ts';

const DEFAULT_WORLD_ID = 'default';
/** Names the world of a call that has no key of one. */
const WORLD_HEADER = 'svc-world';

export interface WorldsOptions {
  /** What every world begins with. */
  readonly file: WorldFile;
  readonly realNow: RealNow;
  /** Where the clocks of new worlds stand still; absent: they run with the real one. */
  readonly now?: Date | undefined;
  readonly settings?: Partial<Settings> | undefined;
  /** Default: as the specification has it. */
  readonly branding?: Branding | undefined;
  readonly scenarios?: readonly ScenarioName[] | undefined;
  /** Of all chance. Default 1. */
  readonly seed?: number | undefined;
  /** Isolated copies that may exist at a time. Default 1,000. */
  readonly worldsMax?: number | undefined;
  /** Told of each new world, before anything happens in it; what it returns is called when the world is deleted. */
  readonly onWorld?: (world: World) => () => void;
}

export interface NewIsolatedWorld {
  /** Letters, digits, - and _, at most 32. Default: a new one. */
  readonly id?: string | undefined;
  /** Where its clock stands still; null runs it with the real one. Default: as the mock's own worlds. */
  readonly now?: Date | null | undefined;
  /** Instead of the mock's own. */
  readonly scenarios?: readonly ScenarioName[] | undefined;
  readonly settings?: Partial<Settings> | undefined;
  readonly seed?: number | undefined;
}

export interface IsolatedWorld {
  readonly world: World;
  /** The token of each key, by the token that it has in the world's file. */
  readonly keys: Readonly<Record<string, string>>;
}

export interface Worlds {
  readonly default: World;
  /** @throws NewWorldError when the id is taken or malformed, or there are too many */
  create(options?: NewIsolatedWorld): IsolatedWorld;
  get(id: string): World | undefined;
  list(): readonly World[];
  /** @returns whether there was one. The default world stays. */
  delete(id: string): boolean;
  /** The world of a call: by its key, by the ingress code it posts to, by the header that names one, else the default one. */
  of(request: MockRequest): World;
}

/** A world that cannot be made. The message says what to do. */
export class NewWorldError extends Error {
  override readonly name = 'NewWorldError';
}

/** The file at "now" is made anew when what is there has become older than this. */
const BASE_MAX_AGE_MS = 5_000;
/** Instants whose data is kept: tests that run side by side have clocks of their own. */
const BASES_MAX = 8;
/** By instant. Mocks of the same file share them, so that a mock for each test costs next to nothing. */
const basesOf = memoize((_file: WorldFile) => new Map<number, WorldData>());
/** By the prefixes of keys and secrets: mocks that have the same ones share the file, and with it what is made of it. */
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
  const bases = basesOf(file);

  /** The file at an instant: for a clock that runs, one that is a little older does as well. */
  function baseAt(now: Date, isExact: boolean): WorldData {
    const atMs = now.getTime();
    const knownMs = isExact ? atMs : [...bases.keys()].find((each) => each <= atMs && atMs - each <= BASE_MAX_AGE_MS);
    const data = bases.get(knownMs ?? atMs) ?? toWorldData(materialize(file, now), now);
    // At the end, so that the first of the map is the one that was not used for longest.
    bases.delete(knownMs ?? atMs);
    bases.set(knownMs ?? atMs, data);
    const [oldest] = bases.keys();
    if (bases.size > BASES_MAX && oldest !== undefined) bases.delete(oldest);
    return data;
  }

  function make(id: string, wanted: NewIsolatedWorld, change: (data: WorldData) => WorldData): World {
    const stillAt = wanted.now === undefined ? options.now : (wanted.now ?? undefined);
    const now = stillAt ?? realNow();
    const clock: ClockState = stillAt === undefined ? REAL_TIME : freezeAt(stillAt);
    const settings = { ...DEFAULT_SETTINGS, ...options.settings, ...wanted.settings };
    const data = change(baseAt(now, stillAt !== undefined));
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

  const first = make(DEFAULT_WORLD_ID, {}, (data) => data);
  onWorld(first);
  const all = () => [first, ...[...isolated.values()].map(({ world }) => world)];

  return {
    default: first,
    create(wanted = {}) {
      const id = wanted.id ?? newId();
      assertNewId(id, isolated);
      if (isolated.size >= worldsMax) {
        throw new NewWorldError(`There are ${worldsMax} worlds already: delete those that are done with.`);
      }
      const keys: Record<string, string> = {};
      const world = make(id, wanted, (data) => withOwnKeys(data, id, keys, branding));
      isolated.set(id, { world, end: onWorld(world) });
      return { world, keys };
    },
    get: (id) => (id === DEFAULT_WORLD_ID ? first : isolated.get(id)?.world),
    list: all,
    delete(id) {
      isolated.get(id)?.end();
      return isolated.delete(id);
    },
    of(request) {
      if (isolated.size === 0) return first;
      const named = request.headers[WORLD_HEADER];
      return (
        findByKey(all(), request, branding) ?? findByCode(all(), request) ?? isolated.get(named ?? '')?.world ?? first
      );
    },
  };
}

function assertNewId(id: string, taken: ReadonlyMap<string, unknown>): void {
  if (!/^[\w-]{1,32}$/.test(id)) {
    throw new NewWorldError(`A world's id is 1 to 32 letters, digits, - and _; "${id.slice(0, 40)}" is not.`);
  }
  if (id === DEFAULT_WORLD_ID || taken.has(id))
    throw new NewWorldError(`A world "${id}" exists already: take another id.`);
}

/** Every token and every ingress code gets the world's id at its end, so that nothing of it is another world's. */
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

/** Also a key that was revoked belongs to its world: that is where its calls are refused. */
function findByKey(worlds: readonly World[], request: MockRequest, branding: Branding): World | undefined {
  const token = bearerOf(request, branding);
  return token === null ? undefined : worlds.find(({ state }) => tokensOf(state.data.apiKeys).has(token));
}

function findByCode(worlds: readonly World[], { method, target }: MockRequest): World | undefined {
  const code = method === 'POST' ? /^\/webhooks\/(.+)$/.exec(pathOf(target))?.[1] : undefined;
  return code === undefined ? undefined : worlds.find((world) => findSourceByPath(world, code) !== undefined);
}
