/** The demo world with a frozen clock, and calls to it whose answers are validated against the strict contract. */
import { readFileSync } from 'node:fs';
import { createResponseValidator } from '@svc/contract/strict';
import { materializeWorld, parseWorld } from '@svc/domain/world';
import { expect } from 'vitest';
import type { EngineDeps, MockAnswer, MockRequest, MockUrls } from '../../src/service/call.ts';
import { handle } from '../../src/service/handle.ts';
import { matchRoute } from '../../src/service/routes.ts';
import { freezeAt } from '../../src/state/clock.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/state/settings.ts';
import { toWorldData, type WorldData } from '../../src/state/world-data.ts';
import { createWorld, type World } from '../../src/state/world.ts';

export const NOW = new Date('2026-03-31T12:00:00.000Z');
const DAY_MS = 86_400_000;
/** The longest range that ends now. It holds all logs of the demo world. */
export const MONTH = `from=${new Date(NOW.getTime() - 31 * DAY_MS).toISOString()}&to=${NOW.toISOString()}`;

const file = new URL('../../../../fixtures/demo-world.json', import.meta.url);
export const DEMO = materializeWorld(parseWorld(JSON.parse(readFileSync(file, 'utf8'))), NOW);
const DATA = toWorldData(DEMO, NOW);

const URLS: MockUrls = {
  api: 'http://api.example.com',
  sync: 'http://sync.example.com',
  dashboard: 'http://app.example.com',
  docs: 'http://docs.example.com/v1',
};

/** A failure of the mock itself fails the test. */
export const DEPS: EngineDeps = {
  realNow: () => NOW,
  urls: URLS,
  reportError: (error) => {
    throw error;
  },
};

export function createDemoWorld(
  options: { readonly settings?: Partial<Settings>; readonly data?: Partial<WorldData>; readonly id?: string } = {},
): World {
  return createWorld({
    id: options.id ?? 'demo',
    data: { ...DATA, ...options.data },
    clock: freezeAt(NOW),
    settings: { ...DEFAULT_SETTINGS, ...options.settings },
    seed: 1,
  });
}

export interface TestCall {
  readonly method?: string;
  /** Default: the read key of the main account. `null` sends no key. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly ip?: string;
}

export function toRequest(target: string, call: TestCall = {}): MockRequest {
  const { method = 'GET', key = 'osapi_demo_read', headers = {}, body = '', ip = '127.0.0.1' } = call;
  return {
    method,
    target,
    headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    ip,
  };
}

export interface TestAnswer extends MockAnswer {
  /** The parsed body, already validated against the contract. */
  readonly json: ReturnType<typeof JSON.parse>;
}

const problemsOf = createResponseValidator();

/** Calls the world and checks that the contract declares the answer. */
export function ask(world: World, target: string, call: TestCall = {}, deps: EngineDeps = DEPS): TestAnswer {
  const request = toRequest(target, call);
  const outcome = handle(world, request, deps);
  if (outcome.kind !== 'answer') throw new Error(`the call ended with ${outcome.kind}`);
  const { answer } = outcome;
  const isJson = answer.headers['Content-Type']?.includes('json') ?? false;
  const json = isJson && answer.body !== '' ? JSON.parse(answer.body) : undefined;
  const id = matchRoute(request.method, target)?.route.id;
  if (id !== undefined && id !== 'inbound' && request.method !== 'HEAD') {
    expect(problemsOf(id, answer.status, answer.headers, json ?? answer.body)).toEqual([]);
  }
  return { ...answer, json };
}

/** Returns the body of a GET that must succeed. */
export function read(world: World, target: string, key?: string): TestAnswer['json'] {
  const answer = ask(world, target, key === undefined ? {} : { key });
  expect([answer.status, answer.status === 200 ? '' : answer.body]).toEqual([200, '']);
  return answer.json;
}

/** Returns the status and message of a refusal. */
export function refusal(world: World, target: string, call?: TestCall): [number, string] {
  const answer = ask(world, target, call);
  return [answer.status, answer.json?.message];
}

/** Reads every page of a list, `limit` rows at a time. */
export function readAll(world: World, target: string, limit: number, key?: string): TestAnswer['json'][] {
  const rows: TestAnswer['json'][] = [];
  for (let cursor: string | null = null; ; ) {
    const separator = target.includes('?') ? '&' : '?';
    const suffix: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page = read(world, `${target}${separator}limit=${limit}${suffix}`, key);
    rows.push(...page.data);
    expect(page.hasMore).toBe(page.nextCursor !== null);
    if (!page.hasMore) return rows;
    expect(page.nextCursor).not.toBe(cursor);
    cursor = page.nextCursor;
  }
}
