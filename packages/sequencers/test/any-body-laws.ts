/** The laws that hold for every body, with every adapter and with mappings. Structural: nothing is timed. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { normalize, type NormalizeInput, type SourceReader } from '../src/events/index.ts';
import {
  countReads,
  expectWellFormed,
  input,
  mapping,
  PLATFORMS,
  type Reading,
  type Size,
  sizeOf,
} from './any-body.ts';

/** An adapter or mapping looks at no more places than this for an item, besides once at each value of the body. */
const READS_PER_ITEM = 1_000;
const READS_PER_VALUE = 40;
/** A text can appear in several fields, and a profile URL is percent-encoded. */
const OUTPUT_PER_CHARACTER = 20;
const OUTPUT_PER_EVENT = 500;

/** Runs adapters and mappings over as many random bodies: each body is read by all of them. @returns how many gave events */
export function checkBodies(count: number, seed: number): { bodies: number; events: Record<string, number> } {
  const events: Record<string, number> = {};
  let bodies = 0;
  fc.assert(
    fc.property(input, mapping, (given, someMapping) => {
      bodies += 1;
      const readers: SourceReader[] = [
        ...PLATFORMS.map((platform) => ({ platform, mapping: null })),
        { platform: 'a-platform-of-your-own', mapping: someMapping },
      ];
      const reading = { reads: 0 };
      const counted = {
        given,
        reading,
        body: countReads(given.body, reading),
        size: sizeOf([given.body, given.headers]),
      };
      for (const reader of readers) {
        if (checkReading(reader, counted)) events[reader.platform] = (events[reader.platform] ?? 0) + 1;
      }
    }),
    { numRuns: count, seed },
  );
  return { bodies, events };
}

/** A body that counts how much of it is read. Wrapped and measured once for all readers. */
interface CountedBody {
  readonly given: NormalizeInput;
  readonly reading: Reading;
  readonly body: unknown;
  readonly size: Size;
}

/** Reads a body, and checks the result and what it cost. @returns whether it gave events */
function checkReading(reader: SourceReader, { given, reading, body, size }: CountedBody): boolean {
  reading.reads = 0;
  const result = normalize(reader, { ...given, body });
  expectWellFormed(result);
  const { values, characters } = size;
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
