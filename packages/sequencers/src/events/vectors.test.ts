import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type InboundEvent, normalize, type NormalizeResult } from './index.ts';

interface Vector {
  platform: string;
  file: string;
  kind: 'ordinary' | 'odd';
  note?: string;
  headers?: Record<string, string>;
  expect: { outcome: NormalizeResult['outcome']; events?: Record<string, unknown>[] };
}

const vectorsPath = createRequire(import.meta.url).resolve('@svc/fixtures/payloads/vectors.json');
const folder = dirname(vectorsPath);
const { vectors } = JSON.parse(readFileSync(vectorsPath, 'utf8')) as { vectors: Vector[] };

function run(vector: Vector): NormalizeResult {
  const raw = readFileSync(`${folder}/${vector.file}`);
  return normalize(
    { platform: vector.platform, mapping: null },
    {
      headers: vector.headers ?? {},
      body: JSON.parse(raw.toString('utf8')),
      bodyHash: createHash('sha256').update(raw).digest('hex'),
    },
  );
}

function withoutKey({ eventKey, occurredAt, ...rest }: InboundEvent) {
  expect(eventKey).toMatch(/^[\w.:/-]{8,200}$/);
  return { ...rest, occurredAt: occurredAt?.toISOString() ?? null };
}

describe('payload vectors', () => {
  test.each(vectors)('$file: $expect.outcome', (vector) => {
    const result = run(vector);
    expect(result.outcome).toBe(vector.expect.outcome);
    if (result.outcome === 'events') expect(result.events.map(withoutKey)).toEqual(vector.expect.events);
    else expect(result.reason).not.toBe('');
  });

  test('every payload file has a vector', () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.json') && entry.name !== 'vectors.json')
      .map((entry) => relative(folder, `${entry.parentPath}/${entry.name}`));
    expect(files.toSorted()).toEqual(vectors.map((vector) => vector.file).toSorted());
    expect(files.length).toBeGreaterThan(40);
  });

  test('ordinary payloads have different keys, and a repeat has the same key', () => {
    const keysOf = () =>
      vectors
        .filter(({ kind, file }) => kind === 'ordinary' && !/own-mailbox|alias/.test(file))
        .flatMap((vector) => {
          const result = run(vector);
          return result.outcome === 'events' ? result.events.map((event) => event.eventKey) : [];
        });
    const keys = keysOf();
    expect(new Set(keys).size).toBe(keys.length);
    expect(keysOf()).toEqual(keys);
  });

  test('a reply reported in three shapes is one event', () => {
    const replies = vectors
      .filter(({ file }) => /smartlead\/email-reply[.]/.test(file))
      .map((vector) => run({ ...vector, headers: {} }));
    const keys = replies.map((result) => (result.outcome === 'events' ? result.events[0]?.eventKey : null));
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });
});
