import { expect, test } from 'vitest';
import schema from '../../../../../../docs/write-policy.schema.json' with { type: 'json' };
import { formatPolicy, marksBelow, readNotices, readProblems, withKey } from './policy-document.ts';

test('a policy is written in the order of the schema, also within unions and lists', () => {
  const stored = { owner: { fallback: 'a', map: [{ user: 'b', domain: 'c' }] }, events: [{ write: [], when: {} }] };
  expect(JSON.parse(formatPolicy(stored, schema))).toEqual(stored);
  expect(
    formatPolicy(stored, schema)
      .match(/"\w+":/g)
      ?.join(' '),
  ).toBe('"events": "when": "write": "owner": "map": "domain": "user": "fallback":');
  expect(formatPolicy({ unknown: 1, create: 'never' }, schema).match(/"\w+":/g)).toEqual(['"create":', '"unknown":']);
});

test('a key keeps its place when its value changes', () => {
  expect(Object.keys(withKey({ a: 1, b: 2 }, 'a', 3))).toEqual(['a', 'b']);
  expect(withKey({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
  expect(withKey(undefined, 'a', [])).toEqual({ a: [] });
});

test('a refusal names the place of each problem', () => {
  expect(
    readProblems('policy.create: must be always; never; policy.events.0.when.typs: is no key here; policy: too long'),
  ).toEqual([
    { path: 'create', text: 'must be always; never', tone: 'bad' },
    { path: 'events.0.when.typs', text: 'is no key here', tone: 'bad' },
    { path: '', text: 'too long', tone: 'bad' },
  ]);
  expect(readProblems('The server did not answer.')).toEqual([
    { path: '', text: 'The server did not answer.', tone: 'bad' },
  ]);
});

test('notices with a place belong to it', () => {
  expect(readNotices(['events.0.when.types: none', 'Note: the CRM was not asked'], ['events'])).toEqual([
    { path: 'events.0.when.types', text: 'none', tone: 'warn' },
    { path: '', text: 'Note: the CRM was not asked', tone: 'warn' },
  ]);
});

test('marks below a place are not those of a place with a longer name', () => {
  const marks = readProblems('policy.events.1: a; policy.events.10: b; policy.events.1.when: c');
  expect(marksBelow(marks, 'events.1').map(({ text }) => text)).toEqual(['a', 'c']);
});
