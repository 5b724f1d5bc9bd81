/** Ready mappings: each is complete, and reads the payloads that its sources publish. */
import { PLATFORMS } from '@svc/contract/vocabulary';
import { eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { type PayloadVector, readPayloads } from '@svc/fixtures/payloads.ts';
import { describe, expect, test } from 'vitest';
import { hashBody, normalize } from '../src/events/index.ts';
import { findReadyMapping, READY_PLATFORMS, withReadyMapping } from '../src/mappings/index.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

async function read({ platform, headers }: PayloadVector, text: string) {
  const reader = await withReadyMapping({ platform, mapping: null });
  const bodyHash = hashBody(new TextEncoder().encode(text));
  return normalize(reader, { headers, body: JSON.parse(text), bodyHash });
}

async function keysOf(vector: PayloadVector, text = vector.text): Promise<string[]> {
  const result = await read(vector, text);
  return result.outcome === 'events' ? result.events.map(({ eventKey }) => eventKey) : [];
}

/** The same payload with every time an hour later, and another id of the event. */
function anHourLater(text: string): string {
  return text
    .replaceAll('"evt_', '"evt_next_')
    .replaceAll(/T(\d\d):/g, (_, hour: string) => `T${String((Number(hour) + 1) % 24).padStart(2, '0')}:`);
}

describe.each(READY_PLATFORMS)('%s', (platform) => {
  const vectors = readPayloads([platform]);

  test('says where its payloads are published and what is not verified, and its mapping is valid', async () => {
    const file = await findReadyMapping(platform);
    expect(file).toMatchObject({
      name: expect.any(String),
      sources: expect.arrayContaining([expect.stringMatching(/^https:/)]),
      readOn: expect.stringMatching(DAY),
      published: expect.stringMatching(/\.$/),
      unverified: expect.stringMatching(/\.$/),
    });
    expect(eventMappingSchema.safeParse(file?.mapping).error?.issues).toBeUndefined();
    expect(PLATFORMS).not.toContain(platform);
  });

  test('has published payloads, each with its source and the day it was read', () => {
    expect(vectors.some(({ expect: { outcome } }) => outcome === 'events')).toBe(true);
    for (const vector of vectors) {
      expect(vector).toMatchObject({
        kind: 'published',
        source: expect.stringMatching(/^https:\/\/\S+$/),
        readOn: expect.stringMatching(DAY),
      });
      const addresses = vector.text.match(/[\w.+-]+@[\w.-]+/g) ?? [];
      expect(addresses.filter((address) => !/[@.]example\.(?:com|org)$/.test(address))).toEqual([]);
    }
  });

  test.each(vectors)('reads $name', async (vector) => {
    const result = await read(vector, vector.text);
    // Times become text.
    expect(JSON.parse(JSON.stringify(result))).toMatchObject(vector.expect);
  });

  test('a repeat has the same keys, and the next event of a lead has others', async () => {
    for (const vector of vectors.filter(({ text }) => anHourLater(text) !== text)) {
      const keys = await keysOf(vector);
      expect(await keysOf(vector)).toEqual(keys);
      expect((await keysOf(vector, anHourLater(vector.text))).filter((key) => keys.includes(key))).toEqual([]);
    }
  });
});

test('a mapping of the source comes before the ready one', async () => {
  const mapping = eventMappingSchema.parse({ fields: { eventName: 'method', email: 'address' } });
  expect(await withReadyMapping({ platform: 'woodpecker', mapping })).toMatchObject({ mapping });
  expect(await withReadyMapping({ platform: 'my-dialer', mapping: null })).toMatchObject({ mapping: null });
});
