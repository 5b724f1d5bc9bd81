import { materializeWorld } from '@svc/domain/world';
import { expect, test } from 'vitest';
import { demoWorld } from '../demo-world.ts';
import { materialize } from './materialize.ts';

const NOW = new Date('2026-03-31T12:00:00.000Z');

test("returns what the domain's materializeWorld returns", () => {
  const world = materialize(demoWorld(), NOW);
  expect(world.requests.some(({ body }) => body !== null)).toBe(true);
  expect(JSON.stringify(world)).toBe(JSON.stringify(materializeWorld(demoWorld(), NOW)));
});

test('a body is the same object on every read, also on frozen rows and copies', () => {
  const row = materialize(demoWorld(), NOW).requests.find(({ body }) => body !== null);
  expect(row?.body).not.toBeNull();
  expect(Object.freeze(row)?.body).toBe(row?.body);
  expect({ ...row }.body).toBe(row?.body);
});
