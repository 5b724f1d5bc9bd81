/** A proposed mapping with at most two corrections reads platforms that this release does not know. */
import { readFileSync } from 'node:fs';
import { eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { expect, test } from 'vitest';
import { hashBody, type InboundEvent, type NormalizeInput, normalize } from '../src/events/index.ts';
import { proposeMapping } from '../src/mapping-tools/index.ts';
import { type ExpectedEvent, STRANGER_PLATFORMS, type StrangerPlatform } from './stranger-platforms.ts';

const DOCUMENT = new URL('../../../docs/sequencers/any-other.md', import.meta.url);

function inputsOf({ payloads }: StrangerPlatform): NormalizeInput[] {
  return payloads.map(({ body, headers = {} }) => {
    const text = JSON.stringify(body);
    return { body: JSON.parse(text), headers, bodyHash: hashBody(new TextEncoder().encode(text)) };
  });
}

function correctedMapping(stranger: StrangerPlatform): unknown {
  const mapping: Record<string, unknown> = { ...proposeMapping(inputsOf(stranger)).mapping };
  for (const { at, value } of stranger.corrections) {
    const [part, key] = at;
    mapping[part] = key === undefined ? value : { ...(mapping[part] as object | undefined), [key]: value };
  }
  return JSON.parse(JSON.stringify(mapping));
}

function shownParts(event: InboundEvent, expected: ExpectedEvent): ExpectedEvent {
  const all: Required<{ [Part in keyof ExpectedEvent]: unknown }> = {
    eventType: event.eventType,
    toEmail: event.toEmail,
    occurredAt: event.occurredAt?.toISOString() ?? null,
    fromEmail: event.fromEmail,
    firstName: event.contact.firstName,
    lastName: event.contact.lastName,
    campaign: event.campaign.name,
    subject: event.subject,
    category: event.category?.name,
    links: event.linkUrls,
  };
  return Object.fromEntries(
    Object.entries(all).filter(([part]) => Object.hasOwn(expected, part)),
  ) as unknown as ExpectedEvent;
}

test('there are twenty, and none needs more than two corrections', () => {
  expect(new Set(STRANGER_PLATFORMS.map(({ platform }) => platform)).size).toBe(20);
  for (const { corrections } of STRANGER_PLATFORMS) expect(corrections.length).toBeLessThanOrEqual(2);
});

test.each(STRANGER_PLATFORMS)('$platform: $shape', (stranger) => {
  const checked = eventMappingSchema.safeParse(correctedMapping(stranger));
  if (!checked.success) throw checked.error;
  const reader = { platform: stranger.platform, mapping: checked.data };
  const keys: string[] = [];
  for (const [index, input] of inputsOf(stranger).entries()) {
    const expected = stranger.payloads[index]?.expect ?? [];
    const result = normalize(reader, input);
    const events = result.outcome === 'events' ? result.events : [];
    expect(events.map((event, at) => shownParts(event, expected[at] ?? ({} as ExpectedEvent)))).toEqual(expected);
    keys.push(...events.map(({ eventKey }) => eventKey));
    expect(normalize(reader, structuredClone(input))).toEqual(result);
  }
  expect(new Set(keys).size).toBe(keys.length);
});

test.each(STRANGER_PLATFORMS.filter(({ corrections }) => corrections.length > 0))(
  '$platform is not read in full without its corrections',
  (stranger) => {
    const mapping = proposeMapping(inputsOf(stranger)).mapping;
    const found = inputsOf(stranger).flatMap((input) => {
      const result = normalize({ platform: stranger.platform, mapping }, input);
      return result.outcome === 'events' ? result.events : [null];
    });
    const wanted = stranger.payloads.flatMap(({ expect: events }) => events);
    const shown = found.map((event, at) => event && shownParts(event, wanted[at] ?? ({} as ExpectedEvent)));
    expect(shown).not.toEqual(wanted);
  },
);

test('the table of the document', () => {
  const rows = STRANGER_PLATFORMS.map((stranger) => {
    const { places } = proposeMapping(inputsOf(stranger));
    const corrections = stranger.corrections.map(({ at, why }) => `\`${at.filter(Boolean).join('.')}\`: ${why}`);
    return `| ${stranger.shape} | ${new Set(places.map(({ field }) => field)).size} | ${corrections.join('; ') || 'none'} |`;
  });
  const table = ['| payloads | fields proposed | corrections |', '|---|---|---|', ...rows].join('\n');
  expect(readFileSync(DOCUMENT, 'utf8')).toContain(table);
});
