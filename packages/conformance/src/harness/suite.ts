/**
 * Runs cases on every target. A case is in `describe('<operationId>')`, and its name begins with the status that it proves. After
 * each case, the suite checks that the operation really answered this status; `coverage.long.test.ts` relies on it.
 */
import { isOperationId, type OperationId } from '@svc/contract/operations';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { statusInName } from './collect-cases.ts';
import { type Answer, type Call, callOperation } from './client.ts';
import { targets } from './targets/index.ts';
import type { RunningTarget, StartOptions, Target } from './targets/target.ts';
import { NOW, WORLD, WORLD_FILE } from './world.ts';

export interface Api {
  /** The target's `fetch`, for URLs of the API and of its sources. */
  readonly fetch: typeof globalThis.fetch;
  /** Calls an operation; fails when the answer violates the contract. */
  call(operationId: OperationId, call?: Call): Promise<Answer>;
  /** Calls an operation, expects 200, and returns the body. */
  read(operationId: OperationId, call?: Call): Promise<Answer['json']>;
  /** Returns the running target; in cases and hooks only. */
  target(): RunningTarget;
  /** Advances the clock and runs the due work. */
  advance(ms: number): Promise<void>;
}

/** @param define registers the cases; it runs once per target */
export function onEveryTarget(
  define: (api: Api, target: Target) => void,
  options: Omit<StartOptions, 'now'> = {},
): void {
  for (const target of targets) {
    describe.skipIf(!target.isAvailable)(target.name, () => {
      let running: RunningTarget | undefined;
      let seen: string[] = [];
      const api: Api = {
        fetch: (input, init) => api.target().fetch(input, init),
        async call(operationId, call = {}) {
          const answer = await callOperation(api.target(), operationId, call);
          seen.push(`${operationId} ${answer.status}`);
          return answer;
        },
        async read(operationId, call) {
          const answer = await api.call(operationId, call);
          expect(answer.status, answer.text).toBe(200);
          return answer.json;
        },
        target() {
          if (running === undefined) throw new Error('The target runs only in cases and hooks.');
          return running;
        },
        async advance(ms) {
          await api.target().clock.advance(ms);
          await api.target().settle();
        },
      };
      beforeAll(async () => {
        running = await target.start(WORLD, { now: NOW, ...options }, WORLD_FILE);
      });
      afterAll(async () => {
        await running?.close();
      });
      beforeEach(() => {
        seen = [];
      });
      afterEach(({ task }) => {
        const operationId = task.suite?.name ?? '';
        const status = statusInName(task.name);
        if (isOperationId(operationId)) {
          expect(status, `the name of a case must begin with a status: ${task.name}`).toBeDefined();
          expect(seen, 'the operation must have answered the status in the name of the case').toContain(
            `${operationId} ${status}`,
          );
        }
      });
      define(api, target);
    });
  }
}
