/** A demo world with a frozen clock, whose outgoing posts the test answers. */
import { advance } from '../../src/service/jobs/advance.ts';
import type { JobDeps, Post, PostResult } from '../../src/service/jobs/job-run.ts';
import { runDue } from '../../src/service/jobs/run-due.ts';
import { update, type World } from '../../src/state/world.ts';
import { ask, createDemoWorld, DEPS, type TestAnswer, type TestCall } from './demo.ts';

export interface RunningWorld {
  readonly world: World;
  readonly deps: JobDeps;
  /** Posts to receivers, in order. */
  readonly posts: Posted[];
  /** Calls the API with the write key. */
  call(method: string, path: string, options?: Omit<TestCall, 'method'>): TestAnswer;
  /** Posts as a sequencer does. */
  send(path: string, body: string, headers?: Readonly<Record<string, string>>): { status: number; requestId: number };
  advance(ms: number): Promise<void>;
  settle(): Promise<void>;
}

export interface Posted {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

type Answer = (posted: Posted, index: number) => number | PostResult | Promise<number | PostResult>;

/**
 * @param answer answers each post to a receiver
 * @param world default: the demo world without jobs and webhooks
 */
export function createRunningWorld(
  answer: Answer = () => 200,
  world: World = createDemoWorld({ data: { jobs: [], webhooks: [] } }),
): RunningWorld {
  const posts: Posted[] = [];
  const post: Post = async (url, { signal: _signal, ...init }) => {
    const posted = { url, ...init };
    posts.push(posted);
    const result = await answer(posted, posts.length - 1);
    return typeof result === 'number' ? { status: result, error: null } : result;
  };
  const deps: JobDeps = { ...DEPS, post };
  return {
    world,
    deps,
    posts,
    call: (method, path, options = {}) =>
      ask(world, `/api/v1${path}`, { method, key: 'osapi_demo_write', ...withJson(options) }, deps),
    send(path, body, headers = {}) {
      const { status, json } = ask(world, `/webhooks/${path}`, { method: 'POST', key: null, body, headers }, deps);
      return { status, requestId: json.requestId };
    },
    advance: (ms) => advance(world, ms, deps),
    settle: () => runDue(world, deps),
  };
}

function withJson(options: Omit<TestCall, 'method'>): Omit<TestCall, 'method'> {
  return options.body === undefined
    ? options
    : { ...options, headers: { 'content-type': 'application/json', ...options.headers } };
}

/** Routes these hosts to a receiver, so that posts to them reach `answer`. */
export function routeToReceiver(world: World, ...hosts: readonly string[]): void {
  const receivers = Object.fromEntries(hosts.map((host) => [host, `http://127.0.0.1:9000/${host}`]));
  update(world, { settings: { ...world.state.settings, receivers } });
}

export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

/** Creates a promise that the test resolves with `open()`. */
export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
