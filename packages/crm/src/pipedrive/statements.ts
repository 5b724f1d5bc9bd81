import { LAST_VALUE_NAMES } from '@svc/domain/policy/last-values';
import { asList, asObject, asText } from '../http/answer-values.ts';
import { CrmFailure } from '../http/http-failure.ts';
import { NotTested, selfTestEmail, type StatementCheck, untestable } from '../events/self-test.ts';
import type { CrmOutcome } from '../port/types.ts';
import { asId } from './client.ts';
import { toPerson } from './person.ts';
import { lastValueFieldName } from './person-values.ts';
import { cleanUp, dealIds, idsOf, read, type SelfTestWorld } from './self-test-world.ts';

/** The statements of docs/crm/pipedrive.md that nobody has verified, and how a live account shows whether they hold. */

type Statement = StatementCheck<SelfTestWorld>;

const WRITTEN: readonly Statement[] = [
  {
    id: 'pipedrive-1',
    title: 'A person who is made without an owner belongs to the user of the token.',
    check: async ({ client, personId }) => {
      const me = asId(asObject(await read(client, '/api/v1/users/me'))['id']);
      const { ownerId } = toPerson(await read(client, `/api/v2/persons/${personId}`));
      return ownerId === me ? null : 'it belongs to another user';
    },
  },
  {
    id: 'pipedrive-2',
    title: 'The list of persons shows a new person at once.',
    check: async ({ client, personId, since }) =>
      isListed(personId, await read(client, `/api/v2/persons?updated_since=${since}&sort_by=id&limit=500`, 'list')),
  },
  {
    id: 'pipedrive-3',
    title: 'The list of activities shows a new activity at once.',
    check: async ({ client, personId, since, outcomes }) => {
      const path = `/api/v2/activities?person_id=${personId}&updated_since=${since}&limit=500`;
      return isListed(engagementOf(outcomes.activity), await read(client, path, 'list'));
    },
  },
  {
    id: 'pipedrive-4',
    title: 'The list of notes shows a new note at once.',
    check: async ({ client, personId, since, outcomes }) => {
      const path = `/api/v1/notes?person_id=${personId}&updated_since=${since}&limit=100&start=0`;
      return isListed(engagementOf(outcomes.note), await read(client, path, 'list'));
    },
  },
  {
    id: 'pipedrive-5',
    title: 'The last line of the text of an activity or a note survives the cleaning of HTML.',
    check: async ({ client, outcomes }) => {
      const texts = await readTexts(client, outcomes.activity, outcomes.note);
      const lost = texts.filter(({ text }) => !/Ref svc:[0-9a-f]{20}/.test(text));
      return lost.length === 0 ? null : `it is missing in: ${lost.map(({ kind }) => kind).join(', ')}`;
    },
  },
  {
    id: 'pipedrive-6',
    title: 'Texts of 60,000 characters are accepted.',
    check: async ({ client, outcomes }) => {
      const texts = await readTexts(client, outcomes.longActivity, outcomes.longNote);
      const short = texts.filter(({ text }) => text.length < 59_000);
      return short.length === 0 ? null : short.map(({ kind, text }) => `${kind}: ${text.length} kept`).join(', ');
    },
  },
  {
    id: 'pipedrive-7',
    title: 'Activities and notes of the past keep the moment of the event.',
    check: async ({ client, outcomes, eventAt }) => {
      const { due_date, due_time } = asObject(await read(client, activityPath(outcomes.activity)));
      const { add_time } = asObject(await read(client, notePath(outcomes.note)));
      const moment = eventAt.toISOString();
      const isActivity = `${asText(due_date)}T${asText(due_time)?.slice(0, 5)}` === moment.slice(0, 16);
      const isNote = asText(add_time)?.replace(' ', 'T').slice(0, 16) === moment.slice(0, 16);
      return isActivity && isNote ? null : `another moment: ${isActivity ? '' : 'activity'} ${isNote ? '' : 'note'}`;
    },
  },
  {
    id: 'pipedrive-8',
    title: 'Custom fields keep numbers, dates and texts as they are sent.',
    check: async ({ client, personId, outcomes, fields, eventAt }) => {
      if (outcomes.lastValues === null) throw new NotTested('run svc-server connections prepare ID first');
      assertWritten(outcomes.lastValues);
      const { customFields } = toPerson(await read(client, `/api/v2/persons/${personId}`));
      const expected = { lastSentAt: eventAt.toISOString().slice(0, 10), lastSentSubject: 'Self-test', sentCount: 7 };
      const wrong = LAST_VALUE_NAMES.filter((name) => {
        const code = fields.find((field) => field.isCustom && field.name === lastValueFieldName(name))?.code ?? '';
        return name in expected && customFields[code] !== Object.entries(expected).find(([key]) => key === name)?.[1];
      });
      return wrong.length === 0 ? null : `other values: ${wrong.map(lastValueFieldName).join(', ')}`;
    },
  },
  {
    id: 'pipedrive-9',
    title: 'The labels of a person are options of the field `label_ids` or `label`, and are written as `label_ids`.',
    check: async ({ client, personId, outcomes, label }) => {
      if (label === null) throw new NotTested('the list of fields shows no labels of persons');
      assertWritten(outcomes.label);
      const { labelIds } = toPerson(await read(client, `/api/v2/persons/${personId}`));
      return labelIds.includes(label.id) ? null : 'the person does not have the label';
    },
  },
  {
    id: 'pipedrive-10',
    title: 'The list of deals shows a new deal at once.',
    check: async ({ client, personId, outcomes }) => {
      if (outcomes.deal === null) throw new NotTested('the token shows no pipeline with a stage');
      assertWritten(outcomes.deal);
      return (await dealIds(client, personId)).length === 1 ? null : 'it does not show the deal';
    },
  },
];

const REFUSED: readonly Statement[] = [
  {
    id: 'pipedrive-11',
    title: 'An activity of a deleted person is refused.',
    check: async ({ client, input, made }) => {
      const body = { name: `Self-test ${input.randomId} (deleted)` };
      const call = { operation: 'self_test', part: 'the deleted person' } as const;
      const path = '/api/v2/persons';
      const person = await client.call({ ...call, method: 'POST', kind: 'write', path, body });
      const id = asId(asObject(person.data)['id']);
      made.push(`${path}/${id}`);
      await client.call({ ...call, method: 'DELETE', kind: 'delete', path: `${path}/${id}` });
      const participants = [{ person_id: id, primary: true }];
      const activity = { subject: 'Self-test', type: 'task', participants };
      const activities = '/api/v2/activities';
      const { status, data } = await client.call({
        ...{ ...call, method: 'POST', kind: 'write', path: activities, body: activity },
        accept: [400, 403, 404, 410, 422],
      });
      if (status >= 400) return null;
      made.push(`${activities}/${asId(asObject(data)['id'])}`);
      return `it is accepted (${status})`;
    },
  },
  {
    id: 'pipedrive-12',
    title: 'A refused write is answered with 4xx and says why in `error`.',
    check: async ({ client, made }) => {
      const call = { operation: 'self_test', method: 'POST', kind: 'write', part: 'a person without a name' } as const;
      try {
        const { data } = await client.call({ ...call, path: '/api/v2/persons', body: {} });
        made.push(`/api/v2/persons/${asId(asObject(data)['id'])}`);
      } catch (error) {
        if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
        return error.message.includes(': ') ? null : 'it does not say why';
      }
      return 'it is accepted';
    },
  },
];

const LATER: readonly Statement[] = [
  {
    id: 'pipedrive-13',
    title: 'Search finds a new person by the address after some seconds.',
    check: async ({ client, personId, input }) =>
      isFound(personId, await search(client, selfTestEmail(input.randomId), 'email')),
  },
  {
    id: 'pipedrive-14',
    title: 'Search finds a new person by the value of a custom field after some seconds.',
    check: async ({ client, personId, profileUrl }) => {
      if (profileUrl === null) throw new NotTested('the field for profile URLs is made with the first profile URL');
      return isFound(personId, await search(client, profileUrl, 'custom_fields'));
    },
  },
  {
    id: 'pipedrive-15',
    title: 'Calls cost the tokens that this document says.',
    check: async ({ spent }) => {
      const costs = spent.flatMap((call, index) => {
        const before = spent[index - 1];
        return call === null || before === null || before === undefined
          ? []
          : [{ said: call.cost, paid: before.remaining - call.remaining }];
      });
      if (costs.length === 0) throw new NotTested('Pipedrive did not say how many tokens are left');
      // Other apps of the company spend tokens at the same time, so the cheapest call of each kind counts.
      const differing = [...Map.groupBy(costs, ({ said }) => said)]
        .map(([said, calls]) => ({ said, paid: Math.min(...calls.map(({ paid }) => paid)) }))
        .filter(({ said, paid }) => said !== paid);
      return differing.length === 0 ? null : differing.map(({ said, paid }) => `${paid} instead of ${said}`).join(', ');
    },
  },
  {
    id: 'pipedrive-16',
    title: 'What is made can be deleted again.',
    check: async (world) => {
      if (world.input.isKept) throw new NotTested('the records are kept');
      const left = await cleanUp(world);
      return left.length === 0 ? null : `delete by hand: ${left.join(', ')}`;
    },
  },
  {
    id: 'pipedrive-17',
    title: 'A person whom the user of the token cannot see is not found, and is made a second time.',
    check: untestable('it needs a second user'),
  },
  {
    id: 'pipedrive-18',
    title: 'A page of Cloudflare means too many calls, and a used up day says that 0 tokens are left.',
    check: untestable('it would use up the limits of the company'),
  },
  {
    id: 'pipedrive-19',
    title: 'The tokens of a day are 30,000 times the factor of the plan times the seats.',
    check: untestable('Pipedrive does not say the plan'),
  },
  {
    id: 'pipedrive-20',
    title: 'Two connections to one company that write the same new contact at the same time make two persons.',
    check: untestable('it needs a second connection'),
  },
];

/** In the order of the document. Searches come late, because they show new records late. */
export const PIPEDRIVE_STATEMENTS: readonly Statement[] = [...WRITTEN, ...REFUSED, ...LATER];

function isListed(id: number, data: unknown): string | null {
  return idsOf(data).includes(id) ? null : 'the list does not show it yet';
}

function isFound(id: number, ids: readonly number[]): string | null {
  return ids.includes(id) ? null : 'it is not found yet';
}

async function search(client: SelfTestWorld['client'], term: string, fields: string): Promise<number[]> {
  const query = new URLSearchParams({ term, fields, exact_match: 'true', limit: '10' });
  const { items } = asObject(await read(client, `/api/v2/persons/search?${query}`, 'search'));
  return idsOf(asList(items).map((entry) => asObject(entry)['item']));
}

/** @throws NotTested when the event was not written whole */
function assertWritten(outcome: CrmOutcome | null): void {
  if (outcome !== null && outcome.status !== 'success') throw new NotTested(outcome.error.message);
}

function engagementOf(outcome: CrmOutcome | null): number {
  if (outcome === null || outcome.status === 'error')
    throw new NotTested(outcome?.error.message ?? 'it was not written');
  return Number(outcome.engagementId);
}

function activityPath(outcome: CrmOutcome | null): string {
  return `/api/v2/activities/${engagementOf(outcome)}`;
}

function notePath(outcome: CrmOutcome | null): string {
  return `/api/v1/notes/${engagementOf(outcome)}`;
}

/** Returns the texts of an activity and a note; a text that was refused is empty. */
async function readTexts(client: SelfTestWorld['client'], activity: CrmOutcome | null, note: CrmOutcome | null) {
  const textOf = async (outcome: CrmOutcome | null, path: (outcome: CrmOutcome | null) => string, field: string) => {
    if (outcome?.status === 'error' && outcome.retry === 'never') return '';
    return asText(asObject(await read(client, path(outcome)))[field]) ?? '';
  };
  return [
    { kind: 'activity', text: await textOf(activity, activityPath, 'note') },
    { kind: 'note', text: await textOf(note, notePath, 'content') },
  ];
}
