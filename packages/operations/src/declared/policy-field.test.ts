import { expect, test } from 'vitest';
import { policyField } from './policy-field.ts';

const problems = (policy: unknown) =>
  (policyField.safeParse(policy).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);

test.each([
  [{ crate: 'never' }, ['crate: is no key here: did you mean create?']],
  [
    { mapping: 1 },
    ['mapping: is no key here, only create, events, holdUntil, owner, associations, fields, lastValues, outcomes'],
  ],
  [{ create: 'on_reply' }, ['create: must be always, on-reply, never, or {onCategory: [...]}: did you mean on-reply?']],
  [{ create: 7 }, ['create: must be always, on-reply, never, or {onCategory: [...]}']],
  [
    { create: { onCategories: ['x'] } },
    [
      'create.onCategory: is missing: it must be a list',
      'create.onCategories: is no key here: did you mean onCategory?',
    ],
  ],
  [{ create: { onCategory: [42] } }, ['create.onCategory.0: must be text: put 42 in quotes']],
  [
    { events: [{ when: { type: ['EMAIL_OPEN'] }, write: ['timline'] }] },
    [
      'events.0.when.type: is no key here: did you mean types?',
      'events.0.write.0: must be one of timeline, fields, task: did you mean timeline?',
    ],
  ],
  [{ events: { write: [] } }, ['events: must be a list']],
  [{ events: [{}] }, ['events.0.write: is missing: it must be a list']],
  [{ holdUntil: { reply: 'yes' } }, ['holdUntil.reply: must be true or false']],
  [{ holdUntil: { reply: true, dropAfer: '3d' } }, ['holdUntil.dropAfer: is no key here: did you mean dropAfter?']],
  [{ holdUntil: { reply: true, dropAfter: 'soon' } }, ['holdUntil.dropAfter: must be a duration such as 30d or 12h']],
  [
    { owner: { map: [{ mailbox: 'a@b.example', usr: '7' }] } },
    ['owner.map.0.user: is missing: it must be text', 'owner.map.0.usr: is no key here: did you mean user?'],
  ],
  [null, [': must be an object with keys']],
  ['never', [': must be an object with keys']],
])('%j: the message names the wrong part and the nearest right one', (policy, expected) => {
  expect(problems(policy).toSorted()).toEqual(expected.toSorted());
});

test('the address of the JSON Schema is not a part of the policy', () => {
  expect(policyField.parse({ $schema: './write-policy.schema.json', create: 'never' })).toEqual({ create: 'never' });
});
