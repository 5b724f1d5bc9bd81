/** What is read from each payload of `fixtures/payloads`. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative } from 'node:path';
import { type PayloadVector, readPayloads } from '@svc/fixtures/payloads.ts';
import { describe, expect, test } from 'vitest';
import { type InboundEvent, normalize, type NormalizeResult } from '../src/events/index.ts';
import { READY_PLATFORMS } from '../src/mappings/index.ts';

const vectors = readPayloads();
const ours = vectors.filter(({ kind }) => kind !== 'published');
const published = vectors.filter(({ kind }) => kind === 'published');

function run({ platform, headers, text }: PayloadVector): NormalizeResult {
  const bodyHash = createHash('sha256').update(text).digest('hex');
  return normalize({ platform, mapping: null }, { headers, body: JSON.parse(text), bodyHash });
}

function withoutKey({ eventKey, occurredAt, ...rest }: InboundEvent) {
  expect(eventKey).toMatch(/^[\w.:/-]{8,200}$/);
  return { ...rest, occurredAt: occurredAt?.toISOString() ?? null };
}

describe('payloads of ours', () => {
  test.each(ours)('$platform/$name: $expect.outcome', (vector) => {
    const result = run(vector);
    expect(result.outcome).toBe(vector.expect.outcome);
    if (result.outcome === 'events') expect(result.events.map(withoutKey)).toEqual(vector.expect.events);
    else expect(result.reason).not.toBe('');
  });

  test('every file of the folder stands in the list of its platform, and every list is that of a platform', () => {
    const folder = dirname(createRequire(import.meta.url).resolve('@svc/fixtures/payloads/smartlead.json'));
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, `${entry.parentPath}/${entry.name}`));
    const platforms = [...new Set(vectors.map(({ platform }) => platform)), ...READY_PLATFORMS];
    const named = vectors.flatMap(({ file }) => file ?? []);
    expect(files.toSorted()).toEqual([...platforms.map((platform) => `${platform}.json`), ...named].toSorted());
    expect(ours.length).toBeGreaterThan(40);
  });

  test('ordinary payloads have different keys, and a repeat has the same key', () => {
    const keysOf = () =>
      ours
        .filter(({ kind, name }) => kind === 'ordinary' && !/own-mailbox|alias/.test(name))
        .flatMap((vector) => {
          const result = run(vector);
          return result.outcome === 'events' ? result.events.map((event) => event.eventKey) : [];
        });
    const keys = keysOf();
    expect(new Set(keys).size).toBe(keys.length);
    expect(keysOf()).toEqual(keys);
  });

  test('a reply reported in three shapes is one event', () => {
    const replies = ours
      .filter(({ platform, name }) => platform === 'smartlead' && name.startsWith('email-reply'))
      .map((vector) => run({ ...vector, headers: {} }));
    const keys = replies.map((result) => (result.outcome === 'events' ? result.events[0]?.eventKey : null));
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });
});

describe('payloads as vendors and public integrations publish them', () => {
  test.each(published)('$platform/$name', (vector) => {
    const result = run(vector);
    expect(result).toMatchObject(vector.expect);
  });

  test('name their source and the day it was read', () => {
    const unsourced = published.filter(
      ({ source = '', readOn = '' }) => !/^https?:\/\/\S+$/.test(source) || !/^\d{4}-\d{2}-\d{2}$/.test(readOn),
    );
    expect(unsourced.map(({ platform, name }) => `${platform}/${name}`)).toEqual([]);
  });

  test('name no real person: every address is of an example domain', () => {
    const addresses = published.flatMap(({ text, expect: expected }) =>
      `${text}${JSON.stringify(expected)}`.match(/[\w.+-]+@[\w.-]+/g),
    );
    expect(addresses.length).toBeGreaterThan(20);
    expect(addresses.filter((address) => address !== null && !/[@.]example\.(?:com|org)$/i.test(address))).toEqual([]);
  });
});
