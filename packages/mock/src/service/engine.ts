/** A mock without skins: its worlds, their clocks and timers, and outgoing posts. */
import type { ApiError } from '@svc/domain/errors/errors';
import { type Branding, DEFAULT_BRANDING } from '@svc/domain/pages/branding';
import { freezeAt, readClock, resume } from '../state/clock.ts';
import { update, type World } from '../state/world.ts';
import { toAnswer, toApiError, toErrorReply } from './answers.ts';
import type { HandledCall, MockRequest, MockUrls, Outcome } from './call.ts';
import { handle } from './handle.ts';
import { advance } from './jobs/advance.ts';
import type { JobDeps, Post } from './jobs/job-run.ts';
import { runDue } from './jobs/run-due.ts';
import { runDueJobsByTimer, type SetTimer } from './jobs/timer.ts';
import { createWorlds, type Worlds, type WorldsOptions } from './worlds.ts';

export interface EngineOptions extends Omit<WorldsOptions, 'onWorld'> {
  readonly setTimer: SetTimer;
  readonly post: Post;
  /** Called with failures of the mock itself. */
  readonly reportError?: (error: unknown) => void;
  /** Called with each call after it was handled. */
  readonly onCall?: ((call: HandledCall) => void) | undefined;
  /** Base address that answers show; `setBaseUrl` changes it. */
  readonly baseUrl: string;
}

export interface Engine {
  readonly worlds: Worlds;
  readonly branding: Branding;
  readonly deps: JobDeps;
  /** Handles an API call or inbound post in its world. A `refusal` of the transport is the answer, after the call was counted. */
  handle(request: MockRequest, refusal?: ApiError | null): Outcome;
  now(world: World): Date;
  /** Stops the clock, at `at` or at its current instant. */
  freeze(world: World, at?: Date): void;
  /** Lets the clock run from its current instant. */
  resume(world: World): void;
  /** Moves the clock ahead and runs the jobs that become due. */
  advance(world: World, ms: number): Promise<void>;
  /** Runs due jobs until none is due. */
  settle(world: World): Promise<void>;
  /** Sets the address shown in `source.url`, `links`, `Link` and remediations. */
  setBaseUrl(baseUrl: string): void;
  /** Stops all timers. */
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
    onCall: options.onCall,
  };
  const timers = new Set<() => void>();
  const worlds = createWorlds({
    ...options,
    onWorld(world) {
      const stop = runDueJobsByTimer(world, deps, setTimer);
      timers.add(stop);
      return () => {
        timers.delete(stop);
        stop();
      };
    },
  });
  return {
    worlds,
    branding,
    deps,
    handle(request, refusal) {
      let world: World;
      try {
        world = worlds.of(request);
      } catch (error) {
        return refuse(request, toApiError(error, deps.reportError));
      }
      return handle(world, request, deps, refusal);
    },
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
      for (const stop of timers) stop();
      timers.clear();
    },
  };
}

/** Answers a call for a world that does not exist. */
function refuse({ method }: MockRequest, error: ApiError): Outcome {
  const headers = { 'Cache-Control': 'no-store' };
  const answer = toAnswer(toErrorReply(error), { method, headers, successStatus: error.statusCode });
  return { kind: 'answer', answer, delayMs: 0 };
}

function urlsOf(baseUrl: string): MockUrls {
  const api = baseUrl.replace(/\/+$/, '');
  return { api, sync: api, dashboard: `${api}/dashboard`, docs: `${api}/docs` };
}
