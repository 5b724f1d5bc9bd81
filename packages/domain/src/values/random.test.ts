import { expect, test } from 'vitest';
import { createRandom, nextRandom } from './random.ts';

test('a seed gives the same numbers each time, from 0 to 1 and spread evenly', () => {
  const [one, other] = [createRandom(7), createRandom(7)];
  const numbers = Array.from({ length: 1_000 }, one);
  expect(numbers).toEqual(Array.from({ length: 1_000 }, other));
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  for (let tenth = 0; tenth < 10; tenth += 1) {
    const count = numbers.filter((number) => Math.floor(number * 10) === tenth).length;
    expect(count).toBeGreaterThan(60);
  }
});

test('the state leads on to the same numbers', () => {
  const random = createRandom(1);
  const first = nextRandom(1);
  expect([first.value, nextRandom(first.state).value]).toEqual([random(), random()]);
});
