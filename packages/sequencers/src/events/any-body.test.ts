/** What reading costs: it grows with the body, and no faster. */
import { PLATFORMS } from '@svc/contract/vocabulary';
import { expect, test } from 'vitest';
import { checkBodies, READERS, readsOf } from '../../test/any-body-laws.ts';
import type { SourceReader } from './index.ts';

const SOURCES: readonly SourceReader[] = [
  ...PLATFORMS.map((platform) => ({ platform, mapping: null })),
  {
    platform: 'a-platform-of-your-own',
    mapping: {
      items: ['rows', '$'],
      fields: { eventName: ['event_type', 'event.type'], email: ['lead[*].email', 'email'], linkUrls: 'links[*][*]' },
      eventTypes: { '*': 'EMAIL_OPEN' },
    },
  },
];

/** Bodies of growing size, each an event for some platform. */
const NAMED = {
  ...{ event_type: 'every_message_reply_received', type: 'emailsOpened', email: 'kim@example.org' },
  ...{ lead_email: 'kim@example.org', to_email: 'kim@example.org', email_address: 'kim@example.org' },
};
const list = <Value>(length: number, of: (index: number) => Value) => Array.from({ length }, (_, index) => of(index));
const FAMILIES: Readonly<Record<string, (size: number) => unknown>> = {
  'many keys': (size) => ({ ...NAMED, ...Object.fromEntries(list(size, (index) => [`column ${index}`, index])) }),
  'many items': (size) => list(size, (index) => ({ ...NAMED, stats_id: index })),
  'many messages': (size) => ({
    ...NAMED,
    lead: { profile_url: 'linkedin.com/in/kim' },
    recent_messages: list(size, () => ({ is_reply: true, message: 'Hello', creation_time: '2026-03-01T10:00:00Z' })),
  }),
  'many links': (size) => ({
    ...NAMED,
    links: list(size, () => list(3, () => 'https://example.com')),
    link_details: list(size, () => ({ url: 'x' })),
  }),
  'many addresses': (size) => ({
    meta: { eventName: 'prospect.created' },
    data: { attributes: { emails: list(size, () => 'no address') } },
    lead: list(size, () => ({ email: 'no address' })),
  }),
  'deep nesting': (size) => JSON.parse(`${'{"lead":'.repeat(size)}1${'}'.repeat(size)}`),
};

const CASES = SOURCES.flatMap((reader) => Object.keys(FAMILIES).map((family) => ({ reader, family })));

test.each(CASES)('twice the body costs at most twice the reads: $reader.platform, $family', ({ reader, family }) => {
  const headers = { 'x-salesloft-event': 'person_updated' };
  const [once, twice] = [450, 900].map((size) => readsOf(reader, FAMILIES[family]?.(size), headers));
  expect(once).toBeGreaterThan(0);
  expect(twice).toBeLessThanOrEqual(2 * (once ?? 0) + 100);
});

test.each(READERS)('100 random bodies: no throw, nothing read or made too often: %s', (reader) => {
  expect(checkBodies(reader, 100, 20261123)).toBeGreaterThan(10);
});
