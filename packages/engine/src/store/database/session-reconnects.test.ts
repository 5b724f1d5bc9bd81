/** How the session of a process goes on when connections break while it makes them, with connections that are none. */
import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSession } from './session.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** @param onLock what the server does when the n-th connection takes a lock */
function open(onLock: (connection: { number: number; end(): void }) => Promise<void> | void) {
  const ended: number[] = [];
  const heard: (string | null)[] = [];
  let made = 0;
  const connect = async () => {
    made += 1;
    const number = made;
    const events = new EventEmitter();
    const end = () => {
      if (!ended.includes(number)) ended.push(number);
      events.emit('end');
    };
    const query = async (sql: string) => {
      if (sql.includes('advisory')) await onLock({ number, end });
      return { rows: [{ pid: number }] };
    };
    const stub = { processID: number, connection: { stream: { destroy: end } }, query, end: async () => end() };
    return Object.assign(events, stub) as unknown as pg.Client;
  };
  const session = createSession({ connect, onPooler: () => {}, onError: () => {} });
  return {
    session,
    ended,
    heard,
    listen: () => session.listen('channel', (text) => heard.push(text)),
    made: () => made,
  };
}

function breakWith(end: () => void): never {
  end();
  throw new Error('terminating connection');
}

test('one that breaks while its locks are taken again is made again once', async () => {
  const { session, heard, listen, made } = open(({ number, end }) => {
    if (number === 1) setTimeout(end, 1_000);
    else if (number < 4) breakWith(end);
  });
  await session.announce(1);
  await listen();
  const counts: number[] = [];
  for (const ms of [1_000, 100, 200, 400, 10_000]) {
    await vi.advanceTimersByTimeAsync(ms);
    counts.push(made());
  }
  expect(counts).toEqual([1, 2, 3, 4, 4]);
  expect(heard).toEqual([null]);
  await session.close();
});

test('after one that broke while its locks were taken, none is made when the session is closed', async () => {
  const { session, made } = open(({ number, end }) => {
    if (number === 1) setTimeout(end, 1_000);
    else breakWith(end);
  });
  await session.announce(1);
  await vi.advanceTimersByTimeAsync(1_100);
  expect(made()).toBe(2);
  await session.close();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(made()).toBe(2);
});

test('a session closes its connection also when an earlier one failed late', async () => {
  const fails = Promise.withResolvers<void>();
  const { session, ended, made } = open(({ number, end }) => {
    if (number === 1) setTimeout(end, 1_000);
    if (number !== 2) return;
    end();
    return fails.promise;
  });
  await session.announce(1);
  await vi.advanceTimersByTimeAsync(1_300);
  expect([made(), ended]).toEqual([3, [1, 2]]);
  fails.reject(new Error('terminating connection'));
  await vi.advanceTimersByTimeAsync(0);
  await session.close();
  expect(ended).toEqual([1, 2, 3]);
});
