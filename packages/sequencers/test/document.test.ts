/** The worked examples of docs/sequencers/any-other.md read what they say. */
import { readFileSync } from 'node:fs';
import { eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { expect, test } from 'vitest';
import { normalize } from '../src/events/index.ts';

const text = readFileSync(new URL('../../../docs/sequencers/any-other.md', import.meta.url), 'utf8');
const [, examples = ''] = /^## Worked examples\n([\s\S]*?)^## /m.exec(text) ?? [];
const sections = examples.split(/^### /m).slice(1);

test.each(sections.map((section) => [section.split('\n')[0], section]))('%s', (_title, section) => {
  const [payload, mapping, read] = [...section.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) =>
    JSON.parse(json),
  );
  const [, header = ''] = /```http\n(.*)\n```/.exec(section) ?? [];
  const [name = '', value = ''] = header.split(': ');
  const reader = { platform: 'my-dialer', mapping: eventMappingSchema.parse(mapping) };
  const result = normalize(reader, { headers: { [name]: value }, body: payload, bodyHash: 'a'.repeat(64) });
  const events = result.outcome === 'events' ? result.events : result.reason;
  expect(JSON.parse(JSON.stringify(events))).toMatchObject(read);
  expect(events).toHaveLength(read.length);
});

test('there are four', () => {
  expect(sections).toHaveLength(4);
});
