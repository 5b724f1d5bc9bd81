import { createMock } from '@svc/mock';
import { type ContactOutreachResponse, createClient, PermissionError, ServerError } from '@svc/sdk';
import { afterEach, expect, test } from 'vitest';
import { createLookUps } from './look-up-contacts.ts';

const mock = createMock({ now: '2026-01-15T12:00:00.000Z' });
mock.snapshot('before');
afterEach(() => mock.restore('before'));

function start(keptMax?: number, pick = ({ found }: ContactOutreachResponse) => found) {
  const client = createClient({
    baseUrl: 'http://svc.test',
    apiKey: mock.keys.osapi_demo_read,
    fetch: mock.fetch,
    maxRetries: 0,
  });
  let answers = 0;
  const lookUps = createLookUps({
    client,
    pick,
    onAnswer: () => {
      answers += 1;
    },
    ...(keptMax === undefined ? {} : { keptMax }),
  });
  const lookUp = (email: string | null, ...profileUrls: string[]) => lookUps.lookUp({ email, profileUrls });
  return { lookUp, stop: lookUps.stop, answers: () => answers };
}

test('blocked is exactly doNotContact.value', async () => {
  const { lookUp } = start();
  expect(await lookUp('bounced@example.com')).toEqual({ result: 'blocked', error: null, answer: true });
  expect(await lookUp('replied@example.com')).toEqual({ result: 'contactable', error: null, answer: true });
  expect(await lookUp('nobody@example.com')).toEqual({ result: 'contactable', error: null, answer: false });
});

test('looks up each contact once, regardless of spelling, also concurrently', async () => {
  const { lookUp, answers } = start();
  const same = await Promise.all([
    lookUp('replied@example.com', 'x.com/a', 'x.com/b'),
    lookUp('Replied@Example.com', 'x.com/B', 'x.com/a'),
  ]);
  expect(await lookUp('replied@example.com', 'x.com/b', 'x.com/a')).toBe(same[0]);
  expect(answers()).toBe(1);
  await lookUp('replied@example.com');
  await lookUp(null, 'x.com/a', 'x.com/b');
  expect(answers()).toBe(3);
});

test('caches the most recently used contacts', async () => {
  const { lookUp, answers } = start(2);
  for (const name of ['a', 'b', 'a', 'c', 'a']) await lookUp(`${name}@example.com`);
  expect(answers()).toBe(3);
  await lookUp('b@example.com');
  expect(answers()).toBe(4);
});

test('a refused identity is invalid and not looked up again', async () => {
  const { lookUp, answers } = start();
  for (let time = 0; time < 2; time += 1) {
    expect(await lookUp('kim@')).toEqual({
      result: 'invalid',
      error: expect.stringContaining('is not one complete email address'),
      answer: null,
    });
  }
  expect(answers()).toBe(1);
});

test('a failed look-up is repeated when the contact repeats; five failures in a row end the check', async () => {
  const { lookUp, answers } = start();
  mock.faults.add({ operations: ['getContactOutreach'], effect: { kind: 'status', status: 500 }, times: 1 });
  expect(await lookUp('a@example.com')).toMatchObject({ result: 'error', error: expect.any(String) });
  expect(await lookUp('a@example.com')).toMatchObject({ result: 'contactable' });
  mock.faults.add({ operations: ['getContactOutreach'], effect: { kind: 'status', status: 503 } });
  for (let time = 1; time <= 4; time += 1)
    expect(await lookUp(`${time}@example.com`)).toMatchObject({ result: 'error' });
  await expect(lookUp('5@example.com')).rejects.toBeInstanceOf(ServerError);
  expect(answers()).toBe(7);
});

test('a forbidden key ends all look-ups at once', async () => {
  const { lookUp } = start();
  mock.faults.add({ operations: ['getContactOutreach'], effect: { kind: 'status', status: 403 } });
  const all = Array.from({ length: 30 }, (_unused, index) => lookUp(`${index}@example.com`));
  for (const each of await Promise.allSettled(all)) {
    expect(each).toMatchObject({ status: 'rejected', reason: expect.any(PermissionError) });
  }
  expect(mock.journal.all()).toHaveLength(1);
});

test('an unusable answer ends all look-ups, including its own', async () => {
  const wrong = new Error('no such field');
  const { lookUp } = start(undefined, () => {
    throw wrong;
  });
  const all = [lookUp('a@example.com'), lookUp('b@example.com')];
  for (const each of await Promise.allSettled(all)) expect(each).toEqual({ status: 'rejected', reason: wrong });
});
