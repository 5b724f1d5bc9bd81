/**
 * Processes that renew one access token with rotation on, in seeded interleavings on a real database: each statement and
 * each half of a request waits for a scheduler, which also kills processes, stops them for longer than a lease, and
 * loses answers.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { sized } from '../../../../scripts/vitest/size.ts';
import type { CrmFailed } from '@svc/crm';
import type { StoredGrant } from '@svc/engine/crm/renew-grant';
import type { Clock } from '@svc/engine/runtime/clock';
import type { Database } from '@svc/engine/store/database/db';
import { backends } from '@svc/engine/test/backends';
import { createRenewalWorld, type RenewalWorld, START } from '../support/renewals.ts';

const SEEDS = sized(100);
const PROCESSES = 4;

/** mulberry32: the same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Waiting {
  process: number;
  /** Null: now. Otherwise a timer. */
  dueMs: number | null;
  resume: () => void;
}

/** Time stands still unless every process waits for a timer. */
class Scheduler {
  nowMs = START.getTime();
  #waiting: Waiting[] = [];
  readonly #random: () => number;
  /** Until when a process is stopped; infinite for a killed one. */
  readonly stoppedUntilMs = new Map<number, number>();

  constructor(random: () => number) {
    this.#random = random;
  }

  gate(process: number): Promise<void> {
    return new Promise((resume) => this.#waiting.push({ process, dueMs: null, resume }));
  }

  clockOf(process: number): Clock {
    return {
      now: () => new Date(this.nowMs),
      monotonicMs: () => this.nowMs,
      setTimer: (resume, delayMs) => {
        const timer = { process, dueMs: this.nowMs + delayMs, resume };
        this.#waiting.push(timer);
        return () => {
          this.#waiting = this.#waiting.filter((other) => other !== timer);
        };
      },
    };
  }

  /** Resumes one process, moving time if needed. False when nobody can go on. */
  step(): boolean {
    const readyMs = ({ process, dueMs }: Waiting) => Math.max(dueMs ?? 0, this.stoppedUntilMs.get(process) ?? 0);
    const times = this.#waiting.map(readyMs);
    const nextMs = Math.min(...times);
    if (!Number.isFinite(nextMs)) return false;
    this.nowMs = Math.max(this.nowMs, nextMs);
    const ready = this.#waiting.filter((_waiting, index) => (times[index] ?? Infinity) <= this.nowMs);
    const chosen = ready[Math.floor(this.#random() * ready.length)];
    this.#waiting = this.#waiting.filter((other) => other !== chosen);
    chosen?.resume();
    return true;
  }
}

interface Faults {
  /** Chances per request or statement. */
  loss: number;
  kill: number;
  stop: number;
}

describe.each(backends.filter(({ isAvailable }) => isAvailable))('renewals in all orders on $name', (backend) => {
  let db: Database;
  afterEach(() => db.close());

  /**
   * Runs one interleaving; returns what the processes got, and whether the grant may end: an answer that granted tokens
   * was lost, or the answers to two requests are not known.
   */
  async function run(world: RenewalWorld, seed: number, faults: Faults, accessToken: string) {
    const random = createRandom(seed);
    const scheduler = new Scheduler(random);
    let isGrantLost = false;
    let unknownAnswers = 0;
    let statementsUnderWay = 0;
    const happens = (chance: number) => chance > 0 && random() < chance;
    const results: (StoredGrant | CrmFailed)[] = [];
    const start = (index: number, isLast: boolean) => {
      const mayFail = !isLast;
      let holdsGrant = false;
      let isCounted = false;
      const interrupt = () => {
        const isKilled = mayFail && happens(faults.kill);
        const isStopped = mayFail && !isKilled && happens(faults.stop);
        if (isKilled) scheduler.stoppedUntilMs.set(index, Infinity);
        if (isStopped) scheduler.stoppedUntilMs.set(index, scheduler.nowMs + 90_000);
        if (isKilled || isStopped) {
          isGrantLost ||= holdsGrant;
          unknownAnswers += Number(isCounted);
        }
        return scheduler.gate(index);
      };
      const around = async <T>(work: () => Promise<T>): Promise<T> => {
        await interrupt();
        statementsUnderWay += 1;
        const result = await work().finally(() => {
          statementsUnderWay -= 1;
        });
        await interrupt();
        return result;
      };
      const ctx = world.process({
        clock: scheduler.clockOf(index),
        db: {
          ...db,
          query: (statement, values) =>
            around(async () => {
              const result = await db.query(statement, values);
              if (typeof statement === 'string' && statement.includes('sent_count + 1')) isCounted = true;
              if (typeof statement === 'string' && statement.includes('sent_count - 1')) isCounted = false;
              return result;
            }) as never,
          transaction: (work) =>
            around(async () => {
              const result = await db.transaction(work);
              holdsGrant = false;
              isCounted = false;
              return result;
            }),
        },
        fetch: async (input, init) => {
          // Not interrupted by a stop: between the last look at the clock and the first byte, nothing could prevent that
          // the request is sent after the lease has ended.
          await scheduler.gate(index);
          const answer = await world.fetch(input, init);
          holdsGrant = answer.ok;
          if (mayFail && happens(faults.loss)) {
            isGrantLost ||= holdsGrant;
            unknownAnswers += 1;
            throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'UND_ERR_SOCKET' }) });
          }
          await interrupt();
          return answer;
        },
      });
      return world.renew(accessToken, ctx).then((result) => results.push(result));
    };
    const settle = async () => {
      for (let idle = 0; idle < 3; ) {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        if (statementsUnderWay > 0 || scheduler.step()) idle = 0;
        else idle += 1;
      }
    };
    for (let index = 0; index < PROCESSES; index += 1) void start(index, false);
    await settle();
    // Whatever happened to the others, one more process finds a usable token or learns that there is none.
    const before = results.length;
    for (let round = 0; round < 5 && results.length === before; round += 1) {
      scheduler.nowMs += 120_000;
      void start(PROCESSES + round, true);
      await settle();
    }
    return { results, mayEnd: isGrantLost || unknownAnswers >= 2, last: results.at(-1) };
  }

  async function prove(
    faults: Faults,
    seeds: number,
    check: (run: {
      results: (StoredGrant | CrmFailed)[];
      mayEnd: boolean;
      last: StoredGrant | CrmFailed | undefined;
      world: RenewalWorld;
      seed: number;
    }) => Promise<void>,
  ): Promise<void> {
    db = await backend.open();
    const clock: Clock = { now: () => START, monotonicMs: () => 0, setTimer: () => () => {} };
    const world = await createRenewalWorld(db, 'salesforce', { clock, rotates: true });
    for (let seed = 1; seed <= seeds; seed += 1) {
      world.oauth.reset();
      await db.query('delete from crm_token_renewals');
      const { accessToken } = await world.grant();
      const outcome = await run(world, seed, faults, accessToken ?? '');
      const perToken = Map.groupBy(world.oauth.tokenCalls(), ({ refreshToken }) => refreshToken);
      for (const calls of perToken.values()) {
        expect(calls.length, `seed ${seed}: requests with one refresh token`).toBeLessThanOrEqual(2);
      }
      await check({ ...outcome, world, seed });
    }
  }

  test(`${SEEDS} interleavings without faults: one refresh, nobody disconnected, all get its token`, async () => {
    await prove({ loss: 0, kill: 0, stop: 0 }, SEEDS, async ({ results, world, seed }) => {
      expect(world.oauth.tokenCalls(), `seed ${seed}`).toMatchObject([{ status: 200 }]);
      expect(results, `seed ${seed}`).toHaveLength(PROCESSES + 1);
      const tokens = results.map((result) => ('grant' in result ? result.grant.accessToken : result.error.code));
      expect(new Set(tokens).size, `seed ${seed}: ${tokens.join()}`).toBe(1);
      expect(world.oauth.check(tokens[0] ?? '')).toMatchObject({ clientId: 'app' });
    });
  });

  test(`${SEEDS} interleavings with processes that die and stop, and lost answers: disconnected only by lost answers`, async () => {
    let disconnected = 0;
    await prove({ loss: 0.1, kill: 0.01, stop: 0.01 }, SEEDS, async ({ last, mayEnd, world, seed }) => {
      const stored = await world.stored();
      if (mayEnd) {
        if ('status' in stored) disconnected += 1;
        return;
      }
      expect(stored, `seed ${seed}`).toHaveProperty('grant');
      expect(last, `seed ${seed}`).toHaveProperty('grant');
      const token = last !== undefined && 'grant' in last ? (last.grant.accessToken ?? '') : '';
      expect(world.oauth.check(token), `seed ${seed}`).toMatchObject({ clientId: 'app' });
    });
    // With rotation, an answer that is lost for good costs the grant: the proof has met such cases.
    expect(disconnected).toBeGreaterThan(0);
  });
});
