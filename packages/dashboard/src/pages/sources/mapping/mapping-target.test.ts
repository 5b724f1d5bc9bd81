import { describe, expect, test } from 'vitest';
import { describeTarget, listPaths, nextTarget, pickedPath } from './mapping-target.ts';
import { listPayloadLines, type PayloadStep } from './payload-paths.ts';

const email = { path: ['fields', 'email'], place: 0, part: 0 };

function pick(body: unknown, steps: readonly PayloadStep[], mapping: object = { fields: {} }, path = email.path) {
  return pickedPath({ ...mapping }, { ...email, path }, body, { steps });
}

describe('a click on a value', () => {
  test('sets the path that names it', () => {
    expect(pick({ lead: { email: 'kim@example.org' } }, ['lead', 'email'])).toBe('lead.email');
    expect(pick({ 'first.name': 'Kim', 'a "b"': 1 }, ['first.name'])).toBe('["first.name"]');
    expect(pick({ 'a "b"': { c: 1 } }, ['a "b"', 'c'])).toBe(String.raw`["a \"b\""].c`);
    expect(pick({ $: 1 }, ['$'])).toBe('["$"]');
  });

  test('of an element: names what tells it apart, or all elements', () => {
    const fields = [
      { name: 'Email', value: 'kim@example.org' },
      { name: 'Phone', value: '+47' },
    ];
    expect(pick({ lead: { fields } }, ['lead', 'fields', 1, 'value'])).toBe('lead.fields[name=Phone].value');
    expect(pick({ to: [{ role: 'lead', mail: 'a' }] }, ['to', 0, 'mail'])).toBe('to[role=lead].mail');
    expect(pick({ links: [{ url: 'a' }, { url: 'b' }] }, ['links', 1, 'url'])).toBe('links[*].url');
    expect(pick({ tags: ['a', 'b'] }, ['tags', 1])).toBe('tags[*]');
    expect(pick({ a: [{ name: 'x]y', value: 1 }] }, ['a', 0, 'value'])).toBe('a[*].value');
  });

  test('of several events: begins at the event, or at the top of the body', () => {
    const events = { events: [{ lead: { email: 'a' } }, 'text'], workspace: { name: 'w' } };
    const mapping = { fields: {}, items: ['missing', 'events'] };
    expect(pick(events, ['events', 0, 'lead', 'email'], mapping)).toBe('lead.email');
    expect(pick(events, ['events', 1], mapping)).toBe('value');
    expect(pick(events, ['workspace', 'name'], mapping)).toBe('$.workspace.name');
    expect(pick(events, ['events', 0], mapping)).toBe('$.events[*]');
    expect(pick([{ email: 'a' }], [0, 'email'])).toBe('email');
    expect(pick([{ email: 'a' }], [0])).toBeNull();
    expect(pick({ email: 'a' }, [])).toBeNull();
  });

  test('for the list of events: the list around the value', () => {
    const body = { data: { events: [{ a: 1 }] } };
    expect(pick(body, ['data', 'events', 0, 'a'], {}, ['items'])).toBe('data.events');
    expect(pick(body, ['data', 'events'], {}, ['items'])).toBe('data.events');
    expect(pick([{ a: 1 }], [0, 'a'], {}, ['items'])).toBe('$');
  });

  test('on a header or a parameter of the URL', () => {
    const header = (name: string) => pickedPath({}, email, {}, { header: name });
    expect(header('x-dialer-event')).toBe('header:x-dialer-event');
    expect(header('?event')).toBe('query:event');
  });
});

test('the fields that are asked for first', () => {
  const aim = (mapping: object) => {
    const target = nextTarget({ ...mapping });
    return target === null ? null : describeTarget(target);
  };
  expect(aim({ fields: {} })).toBe('Event name');
  expect(aim({ fields: {}, constants: { eventName: 'call' } })).toBe('Email');
  expect(aim({ fields: { eventName: 'a', email: 'b', occurredAt: 'c', eventKey: 'd' } })).toBeNull();
  expect(describeTarget({ path: ['when', 'reply', 'email'], place: 1, part: 1 })).toBe(
    'Email of reply, path 2, part 2',
  );
  expect(describeTarget({ path: ['items'], place: 0, part: 0 })).toBe('List of events');
});

test('the payload is shown as JSON, and every value of it has a path', () => {
  const body = { a: { b: [1, 'x'], c: {} }, d: null };
  const { lines, isCut } = listPayloadLines(body);
  expect(lines.map(({ depth, text }) => `${'  '.repeat(depth)}${text}`).join('\n')).toBe(JSON.stringify(body, null, 2));
  expect(isCut).toBe(false);
  expect(listPaths({ fields: {} }, { body, headers: { 'x-event': 'open' } })).toEqual([
    { path: 'header:x-event', text: 'open' },
    { path: 'a.b[*]', text: '1' },
    { path: 'a.c', text: '"c": {}' },
    { path: 'd', text: '"d": null' },
  ]);
  const long = listPayloadLines(Array.from({ length: 5_000 }, () => 'x'.repeat(1_000)));
  expect(long).toMatchObject({ isCut: true });
  expect(long.lines).toHaveLength(1_000);
  expect(long.lines[1]?.text.length).toBeLessThan(310);
});
