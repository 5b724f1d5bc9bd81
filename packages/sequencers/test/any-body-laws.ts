/** The laws that hold for every body, with every adapter and with mappings. Structural: nothing is timed. */
import { PLATFORMS } from '@svc/contract/vocabulary';
import fc from 'fast-check';
import { expect } from 'vitest';
import { normalize, type NormalizeInput, type SourceReader } from '../src/events/index.ts';
import { countReads, expectWellFormed, inputOf, mappedInput, mapping, sizeOf } from './any-body.ts';

/** An adapter or mapping looks at no more places than this for an item, besides once at each value of the body. */
const READS_PER_ITEM = 1_000;
const READS_PER_VALUE = 40;
/** A text can appear in several fields, and a profile URL is percent-encoded. */
const OUTPUT_PER_CHARACTER = 20;
const OUTPUT_PER_EVENT = 500;

/** Who reads random bodies: each adapter those of its platform, and random mappings theirs. */
export const READERS = [...PLATFORMS, 'a-platform-of-your-own'] as const;

/** Lets an adapter, or random mappings, read random bodies. @returns how many gave events */
export function checkBodies(reader: (typeof READERS)[number], count: number, seed: number): number {
  let withEvents = 0;
  const check = (given: NormalizeInput, mapping: SourceReader['mapping']) => {
    if (checkReading({ platform: reader, mapping }, given)) withEvents += 1;
  };
  const settings = { numRuns: count, seed };
  if (reader === 'a-platform-of-your-own') fc.assert(fc.property(mappedInput, mapping, check), settings);
  else
    fc.assert(
      fc.property(inputOf(reader), (given) => check(given, null)),
      settings,
    );
  return withEvents;
}

/** Reads a body, and checks the result and what it cost. @returns whether it gave events */
function checkReading(reader: SourceReader, given: NormalizeInput): boolean {
  const reading = { reads: 0 };
  const result = normalize(reader, { ...given, body: countReads(given.body, reading) });
  expectWellFormed(result);
  const { values, characters } = sizeOf([given.body, given.headers]);
  const items = Array.isArray(given.body) ? given.body.length : 1;
  expectAtMost(reading.reads, READS_PER_ITEM * Math.max(items, 1) + READS_PER_VALUE * values, 'values read');
  if (result.outcome !== 'events') return false;
  const made = sizeOf(result.events).characters;
  expectAtMost(made, OUTPUT_PER_CHARACTER * characters + OUTPUT_PER_EVENT * result.events.length, 'characters made');
  return true;
}

/** Without `expect` while the bound is kept, which would cost as much as the reading. */
function expectAtMost(count: number, max: number, what: string): void {
  if (count > max) expect.fail(`${count} ${what}, more than ${max}`);
}

/** How many values of a body are looked at. */
export function readsOf(reader: SourceReader, body: unknown, headers: NormalizeInput['headers'] = {}): number {
  const reading = { reads: 0 };
  normalize(reader, { headers, bodyHash: 'hash', body: countReads(body, reading) });
  return reading.reads;
}
