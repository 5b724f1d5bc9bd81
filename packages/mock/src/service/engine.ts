/** One mock without its skins: worlds, the time that runs them, and where their posts go. */
import { type Branding, DEFAULT_BRANDING } from '@svc/domain/pages/branding';
import { freezeAt, readClock, resume } from '../state/clock.ts';
import { update, type World } from '../state/world.ts';
import type { MockRequest, MockUrls, Outcome } from './call.ts';
import { handle } from './handle.ts';
import { advance } from './jobs/advance.ts';
import type { JobDeps, Post } from './jobs/job-run.ts';
import { runDue } from './jobs/run-due.ts';
import { runByItself, type SetTimer } from './jobs/timer.ts';
import { createWorlds, type Worlds, type WorldsOptions } from './worlds.ts';

export interface EngineOptions extends Omit<WorldsOptions, 'onWorld'> {
  readonly setTimer: SetTimer;
  readonly post: Post;
  /** Called with failures of the mock itself. */
  readonly reportError?: (error: unknown) => void;
  /** Base address that answers show, until `setBaseUrl` names another. */
  readonly baseUrl: string;
}

export interface Engine {
  readonly worlds: Worlds;
  readonly branding: Branding;
  readonly deps: JobDeps;
  /** One call of the API, or one inbound post, to the world that it is for. */
  handle(request: MockRequest): Outcome;
  now(world: World): Date;
  /** Stands still, at `at` or where it is. */
  freeze(world: World, at?: Date): void;
  /** Runs on from where it stands. */
  resume(world: World): void;
  /** Moves ahead, through everything that is due on the way. */
  advance(world: World, ms: number): Promise<void>;
  /** Runs what is due, until nothing is. */
  settle(world: World): Promise<void>;
  /** Where the mock is reached: in `source.url`, `links`, `Link` and remediations. */
  setBaseUrl(baseUrl: string): void;
  /** Ends all timers. */
  close(): void;
}

export function createEngine(options: EngineOptions): Engine {
  const { realNow, post, setTimer, reportError, branding = DEFAULT_BRANDING } = options;
  let urls = urlsOf(options.baseUrl);
  const deps: JobDeps = {
    realNow,
    get urls() {
      return urls;
    },
    post,
    reportError: reportError ?? (() => {}),
  };
  const ends = new Set<() => void>();
  const worlds = createWorlds({
    ...options,
    onWorld(world) {
      const end = runByItself(world, deps, setTimer);
      ends.add(end);
      return () => {
        ends.delete(end);
        end();
      };
    },
  });
  return {
    worlds,
    branding,
    deps,
    handle: (request) => handle(worlds.of(request), request, deps),
    now: (world) => readClock(world.state.clock, realNow),
    freeze: (world, at) => update(world, { clock: freezeAt(at ?? readClock(world.state.clock, realNow)) }),
    resume: (world) => update(world, { clock: resume(world.state.clock, realNow) }),
    advance: (world, ms) => advance(world, ms, deps),
    async settle(world) {
      await runDue(world, deps);
    },
    setBaseUrl(baseUrl) {
      urls = urlsOf(baseUrl);
    },
    close() {
      for (const end of ends) end();
      ends.clear();
    },
  };
}

function urlsOf(baseUrl: string): MockUrls {
  const api = baseUrl.replace(/\/+$/, '');
  return { api, sync: api, dashboard: `${api}/dashboard`, docs: `${api}/docs` };
}
