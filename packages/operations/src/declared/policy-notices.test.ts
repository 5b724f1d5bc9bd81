import { SOURCE_CONFIG_DEFAULTS } from '@svc/contract/schemas';
import { expect, test } from 'vitest';
import { policyField } from './policy-field.ts';
import { noticesOf, type PolicyPlace } from './policy-notices.ts';

const notices = (policy: unknown, place: PolicyPlace = {}) => noticesOf(policyField.parse(policy), place);
const switches = { ...SOURCE_CONFIG_DEFAULTS, writeStateFields: false };

test.each<[string, unknown, PolicyPlace, string[]]>([
  ['nothing is doubtful', { create: 'on-reply', events: [{ when: { types: ['EMAIL_OPEN'] }, write: [] }] }, {}, []],
  [
    'an event type that no event has',
    { events: [{ when: { types: ['EMAIL_OPENED'] }, write: [] }] },
    {},
    ['events.0.when.types: no event of this release has the type EMAIL_OPENED: did you mean EMAIL_OPEN?'],
  ],
  [
    'a condition of an outcome that no event meets',
    { outcomes: [{ when: { types: ['EMAIL_OPENED'] }, list: '1' }] },
    {},
    ['outcomes.0.when.types: no event of this release has the type EMAIL_OPENED: did you mean EMAIL_OPEN?'],
  ],
  [
    'an outcome of events that are left out',
    {
      events: [{ when: { types: ['EMAIL_OPEN'] }, write: [] }],
      outcomes: [
        { when: { types: ['EMAIL_OPEN'] }, leadStatus: 'Open' },
        { when: { types: ['EMAIL_OPEN', 'EMAIL_REPLY'] }, leadStatus: 'Connected' },
      ],
    },
    {},
    ['outcomes.0: it never happens, because the part events writes nothing of EMAIL_OPEN.'],
  ],
  [
    'outcomes that another CRM has',
    { outcomes: [{ when: {}, campaign: { id: '701' }, list: '1', lifecycleStage: 'lead' }] },
    { crm: 'PIPEDRIVE' },
    [
      'outcomes.0.campaign: only SALESFORCE has this, so it is left out in PIPEDRIVE.',
      'outcomes.0.list: only HUBSPOT has this, so it is left out in PIPEDRIVE.',
      'outcomes.0.lifecycleStage: only HUBSPOT has this, so it is left out in PIPEDRIVE.',
    ],
  ],
  ['outcomes of the CRM', { outcomes: [{ when: {}, list: '1', lifecycleStage: 'lead' }] }, { crm: 'HUBSPOT' }, []],
  [
    'last values of events that are left out',
    {
      events: [
        { when: { types: ['EMAIL_OPEN'] }, write: [] },
        { when: { types: ['EMAIL_LINK_CLICK'], campaigns: ['Newsletter*'] }, write: [] },
      ],
      lastValues: ['openCount', 'clickCount', 'lastEventAt'],
    },
    {},
    ['lastValues: openCount is never known, because events.0 writes no fields of EMAIL_OPEN.'],
  ],
  ['all last values', { events: [{ when: { types: ['EMAIL_OPEN'] }, write: [] }], lastValues: true }, {}, []],
  [
    'associations without entries, a default beside a constant',
    {
      events: [{ write: ['fields'] }],
      associations: { company: true },
      fields: [{ to: 'a', value: 1, default: 2 }],
    },
    {},
    [
      'associations: only timeline entries are associated, and no rule writes any.',
      'fields.0.default: it is never used, because value is the same for every event.',
    ],
  ],
  [
    'rules behind a rule without conditions',
    { events: [{ write: [] }, { when: { steps: [1] }, write: [] }, { when: { steps: [2] }, write: [] }] },
    {},
    [
      'events: events.1 to events.2 are never used, because events.0 fits every event: the first rule that fits decides.',
    ],
  ],
  ['a rule without conditions at the end', { events: [{ when: { steps: [1] }, write: [] }, { write: [] }] }, {}, []],
  [
    'create: never beside holdUntil',
    { create: 'never', holdUntil: { reply: true } },
    {},
    [
      'holdUntil: create is never, so of the events that wait only those of people whom the CRM has are written when they are released.',
    ],
  ],
  [
    'a mailbox that is no address',
    { events: [{ when: { mailboxes: ['acme.example', '*@acme.example'] }, write: [] }] },
    {},
    [
      'events.0.when.mailboxes: no address is acme.example: write a whole address, or *@acme.example for all addresses of a domain.',
    ],
  ],
  [
    'a task for what is no reply',
    { events: [{ when: { types: ['EMAIL_OPEN'] }, write: ['task'] }] },
    {},
    ['events.0.write: only replies have a task, and the rule fits no reply.'],
  ],
  [
    'a task of a source without tasks',
    { events: [{ write: ['task'] }] },
    { switches },
    [
      'events.0.write: the source makes no tasks: switch them on with svc-server sources update --create-or-update-task on.',
    ],
  ],
  [
    'a task of a source with tasks',
    { events: [{ write: ['task'] }] },
    { switches: { ...switches, createOrUpdateTask: true } },
    [],
  ],
  [
    'an owner of nothing',
    { owner: { contact: 'never', activities: false } },
    {},
    ['owner: neither contacts nor activities nor companies get the owner: owner: null says the same.'],
  ],
  [
    'companies of a source without companies',
    { owner: { companies: true } },
    { switches },
    [
      'owner.companies: the source makes no companies: switch them on with svc-server sources update --create-or-update-company on.',
    ],
  ],
  [
    'a domain with @',
    { owner: { map: [{ domain: '@acme.example', user: '7' }] } },
    { crm: 'HUBSPOT' },
    ['owner.map.0.domain: no domain is @acme.example: write it without what is before the @, and without the @.'],
  ],
  [
    'the name of a user',
    { owner: { map: [{ mailbox: 'kim@acme.example', user: 'Kim' }], fallback: '77' } },
    { crm: 'SALESFORCE' },
    [
      'owner.map.0.user: Kim is neither the address of a user nor an id of one, which is 15 or 18 characters from 005 on (SALESFORCE).',
      'owner.fallback: 77 is neither the address of a user nor an id of one, which is 15 or 18 characters from 005 on (SALESFORCE).',
    ],
  ],
  ['ids of users', { owner: { fallback: '77' } }, { crm: 'PIPEDRIVE' }, []],
  ['an id of a CRM that is not known yet', { owner: { fallback: '005000000000001' } }, {}, []],
])('%s', (_name, policy, place, expected) => {
  expect(notices(policy, place)).toEqual(expected);
});
