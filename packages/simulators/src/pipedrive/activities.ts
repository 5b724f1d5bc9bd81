import type { Answer } from '../http/answer.ts';
import type { PipedriveAccount, SimulatedActivity } from './account.ts';
import { Refusal, single } from './answer.ts';
import { sanitizeHtml } from './notes.ts';
import type { PersonRules } from './persons.ts';
import { listRecords } from './records.ts';
import { asFlag, asId, asList, asObject, assertKeys, asText, type Json, pathId, queryNumber } from './requests.ts';

/** `/api/v2/activities`. `person_id` is read-only: a person is linked as a participant. */

const WRITABLE = [
  ...['subject', 'type', 'owner_id', 'deal_id', 'lead_id', 'org_id', 'project_id', 'due_date', 'due_time', 'duration'],
  ...['busy', 'done', 'location', 'participants', 'attendees', 'public_description', 'priority', 'note'],
];

export function createActivity({ account, userId }: PersonRules, body: unknown): Answer {
  const now = account.time();
  const activity: SimulatedActivity = {
    id: 0,
    subject: '',
    type: account.activityTypes[0] ?? '',
    done: false,
    due_date: null,
    due_time: null,
    owner_id: userId,
    participants: [],
    org_id: null,
    deal_id: null,
    note: null,
    is_deleted: false,
    add_time: now,
    update_time: now,
  };
  const input = readInput(body);
  asText(input['subject'], 'subject');
  apply(account, activity, input);
  activity.id = account.nextId();
  account.activities.set(activity.id, activity);
  return single(toResource(activity));
}

export function updateActivity(account: PipedriveAccount, segment: string, body: unknown): Answer {
  const activity = findActivity(account, segment);
  apply(account, activity, readInput(body));
  activity.update_time = account.time();
  return single(toResource(activity));
}

export function readActivity(account: PipedriveAccount, segment: string): Answer {
  return single(toResource(findActivity(account, segment)));
}

export function deleteActivity(account: PipedriveAccount, segment: string): Answer {
  const activity = findActivity(account, segment);
  activity.is_deleted = true;
  return single({ id: activity.id });
}

/** `person_id` selects by the primary participant only. */
export function listActivities(account: PipedriveAccount, query: URLSearchParams): Answer {
  const personId = queryNumber(query, 'person_id');
  const done = query.get('done');
  return listRecords({
    all: account.activities,
    query,
    filter: null,
    matches: (activity) =>
      !(account.isBroken('pipedrive-3') && query.has('updated_since')) &&
      (personId === null || primaryPerson(activity) === personId) &&
      (done === null || String(activity.done) === done),
    toResource,
  });
}

function readInput(body: unknown): Json {
  const input = asObject(body);
  assertKeys(input, WRITABLE);
  return input;
}

/** Validates everything before it changes anything. */
function apply(account: PipedriveAccount, activity: SimulatedActivity, input: Json): void {
  const next = { ...activity };
  if (input['subject'] !== undefined) next.subject = asText(input['subject'], 'subject');
  if (input['type'] !== undefined) {
    next.type = asText(input['type'], 'type');
    if (!account.activityTypes.includes(next.type)) throw new Refusal(400, 'Validation failed: type is not valid');
  }
  if (input['done'] !== undefined) next.done = asFlag(input['done'], 'done');
  if (input['due_date'] !== undefined) next.due_date = asMatch(input['due_date'], /^\d{4}-\d\d-\d\d$/, 'due_date');
  if (input['due_time'] !== undefined) next.due_time = asMatch(input['due_time'], /^\d\d:\d\d(:\d\d)?$/, 'due_time');
  if (account.isBroken('pipedrive-7')) next.due_time = '00:01';
  if (input['owner_id'] !== undefined) {
    next.owner_id = asId(input['owner_id'], 'owner_id');
    account.assertOwner(next.owner_id);
  }
  if (input['org_id'] !== undefined) {
    next.org_id = asId(input['org_id'], 'org_id');
    if (account.organizations.get(next.org_id)?.is_deleted !== false) {
      throw new Refusal(400, 'Validation failed: org_id: organization is not found');
    }
  }
  if (input['deal_id'] !== undefined) {
    next.deal_id = asId(input['deal_id'], 'deal_id');
    account.assertDeal(next.deal_id);
  }
  if (input['note'] !== undefined) next.note = sanitizeHtml(account, asText(input['note'], 'note'));
  if (input['participants'] !== undefined) {
    next.participants = asList(input['participants'], 'participants').map((item, index) => {
      const { person_id, primary } = asObject(item, 'participants');
      const id = asId(person_id, 'participants.person_id');
      if (account.persons.get(id)?.is_deleted !== false && !account.isBroken('pipedrive-11')) {
        throw new Refusal(400, 'Validation failed: participants: person is not found');
      }
      return { person_id: id, primary: primary === undefined ? index === 0 : asFlag(primary, 'participants.primary') };
    });
  }
  Object.assign(activity, next);
}

function asMatch(value: unknown, form: RegExp, what: string): string {
  const text = asText(value, what);
  if (!form.test(text)) throw new Refusal(400, `Validation failed: ${what} has a wrong form`);
  return text;
}

function findActivity(account: PipedriveAccount, segment: string): SimulatedActivity {
  const activity = account.activities.get(pathId(segment, 'Activity'));
  if (activity === undefined || activity.is_deleted) throw new Refusal(404, 'Activity not found');
  return activity;
}

function primaryPerson({ participants }: SimulatedActivity): number | null {
  return participants.find(({ primary }) => primary)?.person_id ?? null;
}

function toResource(activity: SimulatedActivity): Json {
  return { ...activity, person_id: primaryPerson(activity), creator_user_id: activity.owner_id, attendees: null };
}
