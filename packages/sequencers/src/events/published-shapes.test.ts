/**
 * Payload shapes that vendors and public integrations published, with what must be read from each. A file is a body with its
 * headers and expectation; its header names the source and when it was read.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PLATFORMS } from '@svc/contract/vocabulary';
import { describe, expect, test } from 'vitest';
import { normalize, type NormalizeResult } from './index.ts';

interface Shape {
  readonly headers?: Record<string, string>;
  readonly body: unknown;
  /** Only the fields of an event that the shape is about. */
  readonly expect: { readonly outcome: NormalizeResult['outcome']; readonly events?: readonly object[] };
}

const folder = new URL(
  'published/',
  `file://${createRequire(import.meta.url).resolve('@svc/fixtures/payloads/vectors.json')}`,
);
const HEADER = /^\/\/ Source: https?:\/\/\S+ \(read on \d{4}-\d{2}-\d{2}\)\.\n(?:\/\/ .*\n)*/;

const filesOf = (platform: string) =>
  readdirSync(new URL(platform, folder))
    .filter((name) => name.endsWith('.jsonc'))
    .map((name) => ({ name, text: readFileSync(new URL(`${platform}/${name}`, folder), 'utf8') }));

describe.each(PLATFORMS)('%s', (platform) => {
  const files = filesOf(platform);

  test('has at least three published shapes, each with its source and the day it was read', () => {
    expect(files.length).toBeGreaterThanOrEqual(3);
    expect(files.filter(({ text }) => !HEADER.test(text)).map(({ name }) => name)).toEqual([]);
  });

  test('names no real person: every address is of an example domain', () => {
    const addresses = files.flatMap(({ text }) => text.replace(HEADER, '').match(/[\w.+-]+@[\w.-]+/g) ?? []);
    expect(addresses.filter((address) => !/[@.]example\.(?:com|org)$/i.test(address))).toEqual([]);
  });

  test.each(files)('$name', ({ text }) => {
    const { headers = {}, body, expect: expected }: Shape = JSON.parse(text.replace(HEADER, ''));
    const bodyHash = createHash('sha256').update(JSON.stringify(body)).digest('hex');
    expect(normalize({ platform, mapping: null }, { headers, body, bodyHash })).toMatchObject(expected);
  });
});
