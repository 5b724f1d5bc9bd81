import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { draftOf, fromPlaces, toDraft, toPlaces, valueAt, withPath, withValue } from './mapping-draft.ts';
import { labelOf } from '../../../forms/label.ts';
import { checkMapping, CONSTANTS, describeField, describeProblem, FIELD_GROUPS, JOINED } from './mapping-schema.ts';

const mapping = { fields: { eventName: 'event', email: ['lead.email', 'to'] }, eventTypes: { opened: 'EMAIL_OPEN' } };

describe('form and JSON', () => {
  test('a change of the form is a change of the text, and the other way round', () => {
    const draft = draftOf(withPath(mapping, { path: ['fields', 'occurredAt'], place: 0, part: 0 }, 'at'));
    expect(toDraft(draft.text)).toEqual(draft);
    expect(draft.mapping).toEqual({ ...mapping, fields: { ...mapping.fields, occurredAt: 'at' } });
  });

  test('a path in the focus is replaced, the others stay', () => {
    const set = (path: readonly string[], place: number, part: number, text: string) =>
      valueAt(withPath(mapping, { path, place, part }, text), path);
    expect(set(['fields', 'email'], 1, 0, 'mail')).toEqual(['lead.email', 'mail']);
    expect(set(['fields', 'email'], 2, 0, 'mail')).toEqual(['lead.email', 'to', 'mail']);
    expect(set(['fields', 'eventName'], 0, 0, 'type')).toBe('type');
    expect(set(['fields', 'eventName'], 0, 1, 'action')).toEqual([['event', 'action']]);
    expect(set(['when', 'reply', 'email'], 0, 0, 'from')).toBe('from');
  });

  test('what becomes empty is left out, and fields stay', () => {
    expect(withValue(mapping, ['eventTypes', 'opened'], undefined)).toEqual({ fields: mapping.fields });
    expect(withValue({ fields: { email: 'a' } }, ['fields', 'email'], undefined)).toEqual({ fields: {} });
    expect(Object.keys(withValue(mapping, ['fields'], { email: 'a' }))).toEqual(['fields', 'eventTypes']);
    expect(withValue({ fields: {} }, ['eventTypes', '__proto__'], 'ignored')).toEqual(
      JSON.parse('{"fields": {}, "eventTypes": {"__proto__": "ignored"}}'),
    );
  });

  test('places that the form shows are the places of the JSON', () => {
    const part = fc.string({ minLength: 1 });
    const places = fc.array(fc.array(part, { minLength: 1, maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(places, (given) => {
        expect(toPlaces(fromPlaces(given))).toEqual(given);
      }),
    );
    expect(fromPlaces([])).toBeUndefined();
    for (const odd of [7, null, { a: 1 }, ['a', 7], [['a', null]]]) expect(toPlaces(odd)).toBeNull();
  });

  test('a text that is no JSON object has no mapping, and says where it stops', () => {
    expect(toDraft('{\n  "fields": {"email" "lead.email"}\n}')).toMatchObject({
      mapping: null,
      problem: 'Line 2, column 22: a colon is missing',
    });
    expect(toDraft('[]')).toMatchObject({ mapping: null, problem: expect.stringContaining('begins with {') });
  });
});

describe('the format', () => {
  test('the form has each field once, with the words of the format', () => {
    const fields = FIELD_GROUPS.flatMap((group) => group.fields);
    const all = checkMapping({ fields: Object.fromEntries(fields.map((name) => [name, 'a'])) });
    expect(all.problems).toBeNull();
    const order = Object.keys(all.problems === null ? all.mapping.fields : {});
    expect(fields.toSorted()).toEqual(order.toSorted());
    expect(new Set(fields).size).toBe(fields.length);
    expect(describeField('email')).toBe("The lead's email address");
    expect(CONSTANTS).toContain('campaignName');
    expect(['eventName', 'profileUrl', 'linkUrls', 'bodyHtml', 'campaignId'].map(labelOf)).toEqual([
      'Event name',
      'Profile URL',
      'Link URLs',
      'Body HTML',
      'Campaign id',
    ]);
    for (const name of fields) {
      const { problems } = checkMapping({ fields: { eventName: 'a', email: 'a', [name]: [['a', 'b']] } });
      expect([name, problems === null]).toEqual([name, JOINED.has(name)]);
    }
  });

  test('problems are said in the words of the form', () => {
    const { problems } = checkMapping({
      fields: { eventName: 'a..b' },
      eventTypes: { opened: 'OPEN' },
      when: { reply: { subject: [] } },
      extra: 1,
    });
    expect(problems?.map(describeProblem)).toEqual([
      expect.stringMatching(/^Event name cannot be read from "..b"/),
      expect.stringMatching(/^Subject of reply must name at least one path\.$/),
      expect.stringMatching(/^Event type "opened" must be one of EMAIL_SENT, /),
      'The mapping "extra" is not a part of a mapping.',
    ]);
  });
});
