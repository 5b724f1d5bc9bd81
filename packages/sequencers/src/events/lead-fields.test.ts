import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type InboundEvent, normalize } from './index.ts';
import { namedValues, toCustomFields, toLeadUrl, toTags } from './lead-fields.ts';

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

describe('custom fields', () => {
  test('keep names, texts, numbers and booleans; of equal names the first', () => {
    const fields = { 'Deal size': 12_000, Seats: '40', 'Has website': false, ' Padded ': ' x ' };
    expect(toCustomFields([...namedValues(fields), ['Seats', '50']])).toEqual({
      'Deal size': 12_000,
      Seats: '40',
      'Has website': false,
      Padded: 'x',
    });
  });

  test('of a list have a name and a value', () => {
    const list = [
      { name: 'Region', value: 'North' },
      { name: 7, value: 'x' },
      { value: 'x' },
      null,
      'x',
      ['Tier', 'A'],
    ];
    expect(toCustomFields(namedValues(list))).toEqual({ Region: 'North' });
  });

  test.each([
    ['null', null],
    ['an empty text', ' \0 '],
    ['a list', ['x']],
    ['an object', { x: 1 }],
    ['no finite number', Number.NaN],
    ['nothing', undefined],
  ])('%s is left out', (_what, value) => {
    expect(toCustomFields([['Region', value]])).toEqual({});
  });

  test('whose names are empty, too long or `__proto__` are left out', () => {
    const fields = JSON.parse(
      `{"": 1, "\\u0000": 2, "${'n'.repeat(101)}": 3, "__proto__": {"polluted": true}, "a": 4}`,
    );
    expect(toCustomFields(namedValues(fields))).toEqual({ a: 4 });
    expect(toCustomFields([['__proto__', 'x']])).toEqual({});
    expect('polluted' in {}).toBe(false);
  });

  test('may be named like properties that objects inherit', () => {
    const fields = toCustomFields(
      namedValues(JSON.parse('{"constructor": "x", "toString": "y", "hasOwnProperty": 1}')),
    );
    expect(Object.entries(fields)).toEqual([
      ['constructor', 'x'],
      ['toString', 'y'],
      ['hasOwnProperty', 1],
    ]);
  });

  test('are cut after 1,000 characters each, and left out after 50 fields or 16 KiB', () => {
    expect(toCustomFields([['Bio', 'x'.repeat(5_000_000)]])).toEqual({ Bio: 'x'.repeat(1_000) });
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field ${index}`, index]));
    expect(Object.keys(toCustomFields(namedValues(many)))).toEqual(Object.keys(many).slice(0, 50));
    const large = Object.entries(Array.from({ length: 50 }, () => '€'.repeat(1_000)));
    const kept = toCustomFields([...large, ['small', 'x']]);
    expect(Object.keys(kept)).toHaveLength(6);
    expect(kept['small']).toBe('x');
  });

  test('of any JSON are bounded and can be stored', () => {
    const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a\0b', '\ud800'), fc.string({ unit: 'binary' }));
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary', maxLength: 3_000 }), fc.double());
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 80 }), (fields) => {
        const kept = toCustomFields(fields);
        expect(Object.keys(kept).length).toBeLessThanOrEqual(50);
        expect(bytesOf(Object.entries(kept))).toBeLessThanOrEqual(16 * 1024 + 60);
        for (const [key, each] of Object.entries(kept)) {
          expect(key).toMatch(/^.{1,100}$/s);
          for (const text of [key, String(each)]) expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
          expect(String(each)).toMatch(/^.{1,1000}$/s);
        }
        const stored = JSON.stringify(kept);
        expect(JSON.stringify(JSON.parse(stored))).toBe(stored);
        expect(Object.keys(JSON.parse(stored))).toEqual(Object.keys(kept));
      }),
      { numRuns: 200 },
    );
  });
});

test.each([
  ['a list of texts', ['Q1', ' Q1 ', 'VIP', '', null, 7], ['Q1', 'VIP']],
  ['a list of objects', [{ id: 1, name: 'Q1' }, { id: 2 }], ['Q1']],
  ['one text', 'Q1', ['Q1']],
  ['a tag that is too long', ['t'.repeat(101), 'Q1'], ['Q1']],
  [
    'more than 50',
    Array.from({ length: 10_000 }, (_, index) => `t${index}`),
    Array.from({ length: 50 }, (_, i) => `t${i}`),
  ],
  ['an object', { name: 'Q1' }, ['Q1']],
  ['nothing', undefined, []],
])('tags: %s', (_what, value, expected) => {
  expect(toTags(value)).toEqual(expected);
});

test.each([
  ['https://app.example.com/leads/7?x=1#y', 'https://app.example.com/leads/7?x=1#y'],
  ['http://app.example.com/leads/7', null],
  ['javascript:alert(1)', null],
  ['https://', null],
  ['https://app.example.com/"><script>', null],
  [`https://app.example.com/${'x'.repeat(2_048)}`, null],
  [7, null],
])('the link %j is %j', (value, expected) => {
  expect(toLeadUrl(value)).toBe(expected);
});

/** What adapters read, beside what the payloads of `fixtures/payloads` show. */
describe('the lead of', () => {
  function leadOf(platform: string, body: unknown, headers: Record<string, string> = {}) {
    const result = normalize({ platform, mapping: null }, { headers, body, bodyHash: 'a'.repeat(64) });
    const event: InboundEvent | undefined = result.outcome === 'events' ? result.events[0] : undefined;
    if (event === undefined) throw new Error(`no event: ${JSON.stringify(result)}`);
    const { custom, tags, leadId, leadUrl } = event.contact;
    return { custom, tags, leadId, leadUrl };
  }

  test('Smartlead has the custom fields that are not read as details, and a link that names a lead', () => {
    const body = {
      event_type: 'LEAD_CATEGORY_UPDATED',
      to_email: 'kim@example.org',
      lead_id: 7,
      app_url: 'https://app.smartlead.ai/app/master-inbox',
      ui_master_inbox_link: 'https://app.smartlead.ai/app/master-inbox?leadMap=9',
      lead_data: { first_name: 'Kim', custom_fields: { Region: 'North', job_title: 'CEO', position: 'Boss' } },
    };
    expect(leadOf('smartlead', body)).toEqual({
      custom: { Region: 'North', position: 'Boss' },
      tags: [],
      leadId: '7',
      leadUrl: 'https://app.smartlead.ai/app/master-inbox?leadMap=9',
    });
    expect(leadOf('smartlead', { ...body, ui_master_inbox_link: undefined }).leadUrl).toBeNull();
  });

  test('lemlist has its own variables, and never the secret', () => {
    const variables = { Segment: 'B', Tier: 1, email: 'kim@example.org', jobTitle: 'CEO' };
    const body = {
      ...{ _id: 'act_1', type: 'emailsOpened', secret: 'shared', leadId: 'lea_1', 'First Name': 'Kim' },
      ...{ email: 'kim@example.org', Segment: 'A', sequenceStep: 1, lead: { _id: 'lea_2', variables } },
    };
    expect(leadOf('lemlist', body)).toEqual({
      custom: { Segment: 'A', Tier: 1 },
      tags: [],
      leadId: 'lea_1',
      leadUrl: null,
    });
  });

  test('EmailBison has custom variables', () => {
    const variables = [
      { name: 'Region', value: 'North' },
      { name: 'LinkedIn', value: 'https://www.linkedin.com/in/kim-berg-7' },
    ];
    const lead = { id: 5, email: 'kim@example.org', custom_variables: variables };
    expect(leadOf('emailbison', { event: { type: 'EMAIL_OPENED' }, data: { lead } })).toEqual({
      custom: { Region: 'North' },
      tags: [],
      leadId: '5',
      leadUrl: null,
    });
  });

  test('Salesloft has custom fields and tags', () => {
    const person = { id: 12, email_address: 'kim@example.org', custom_fields: { Tier: 'A' }, tags: ['VIP'] };
    expect(leadOf('salesloft', person, { 'x-salesloft-event': 'person_updated' })).toEqual({
      custom: { Tier: 'A' },
      tags: ['VIP'],
      leadId: '12',
      leadUrl: null,
    });
  });

  test('Outreach has numbered custom fields and tags', () => {
    const attributes = {
      emails: ['kim@example.org'],
      custom1: 'A',
      custom2: null,
      custom150: 'B',
      customer: 'C',
      tags: ['VIP'],
    };
    const body = { data: { type: 'prospect', id: 3, attributes }, meta: { eventName: 'prospect.updated' } };
    expect(leadOf('outreach', body)).toEqual({
      custom: { custom1: 'A', custom150: 'B' },
      tags: ['VIP'],
      leadId: '3',
      leadUrl: null,
    });
  });
});
