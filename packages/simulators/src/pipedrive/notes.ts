import type { Answer } from '../http/answer.ts';
import type { PipedriveAccount, SimulatedNote } from './account.ts';
import { pageOfV1, Refusal, single } from './answer.ts';
import type { PersonRules } from './persons.ts';
import {
  asId,
  asObject,
  assertKeys,
  asText,
  type Json,
  pageLimit,
  pathId,
  queryNumber,
  updatedSinceMs,
} from './requests.ts';

/** `/api/v1/notes`. */

const WRITABLE = ['content', 'person_id', 'org_id', 'deal_id', 'lead_id', 'add_time', 'pinned_to_person_flag'];
const CONTENT_MAX = 100_000;
const SHORT_MAX = 50_000;
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

export function createNote({ account, userId }: PersonRules, body: unknown): Answer {
  const input = asObject(body);
  assertKeys(input, WRITABLE);
  const personId = input['person_id'] === undefined ? null : asId(input['person_id'], 'person_id');
  const orgId = input['org_id'] === undefined ? null : asId(input['org_id'], 'org_id');
  const dealId = input['deal_id'] === undefined ? null : asId(input['deal_id'], 'deal_id');
  if (dealId !== null) account.assertDeal(dealId);
  if (orgId !== null && account.organizations.get(orgId)?.is_deleted !== false) {
    throw new Refusal(404, 'Organization not found');
  }
  if (personId === null && orgId === null) throw new Refusal(400, 'One of deal_id, person_id, org_id is required');
  if (personId !== null && account.persons.get(personId)?.is_deleted !== false) {
    throw new Refusal(404, 'Person not found');
  }
  const pinned = input['pinned_to_person_flag'] ?? 0;
  if (pinned !== 0 && pinned !== 1) throw new Refusal(400, 'pinned_to_person_flag must be 0 or 1');
  const given = account.isBroken('pipedrive-7') ? undefined : input['add_time'];
  const addTime = given ?? toTimeOfV1(account.time());
  if (typeof addTime !== 'string' || !TIME.test(addTime)) throw new Refusal(400, 'add_time has a wrong form');
  const note: SimulatedNote = {
    id: account.nextId(),
    content: sanitizeHtml(account, readContent(input)),
    person_id: personId,
    org_id: orgId,
    deal_id: dealId,
    user_id: userId,
    active_flag: true,
    add_time: addTime,
    update_time: toTimeOfV1(account.time()),
  };
  account.notes.set(note.id, note);
  return single(toResource(account, note));
}

export function updateNote(account: PipedriveAccount, segment: string, body: unknown): Answer {
  const note = findNote(account, segment);
  note.content = sanitizeHtml(account, readContent(asObject(body)));
  note.update_time = toTimeOfV1(account.time());
  return single(toResource(account, note));
}

/** A deleted note is still shown, as inactive. */
export function readNote(account: PipedriveAccount, segment: string): Answer {
  return single(toResource(account, findNote(account, segment)));
}

export function deleteNote(account: PipedriveAccount, segment: string): Answer {
  if (account.isBroken('pipedrive-16')) throw new Refusal(403, 'Notes cannot be deleted');
  findNote(account, segment).active_flag = false;
  return single(true);
}

export function listNotes(account: PipedriveAccount, query: URLSearchParams): Answer {
  const personId = queryNumber(query, 'person_id');
  const since = updatedSinceMs(query);
  const found = [...account.notes.values()].filter(
    (note) =>
      note.active_flag &&
      !(account.isBroken('pipedrive-4') && since !== null) &&
      (personId === null || note.person_id === personId) &&
      (since === null || Date.parse(`${note.update_time.replace(' ', 'T')}Z`) >= since),
  );
  const resources = found.map((note) => toResource(account, note));
  return pageOfV1(resources, queryNumber(query, 'start') ?? 0, pageLimit(query, 500));
}

/** Comments, scripts and attributes go; text and plain tags stay. */
export function sanitizeHtml(account: PipedriveAccount, html: string): string {
  if (account.isBroken('pipedrive-6') && html.length > SHORT_MAX) throw new Refusal(400, 'the text is too long');
  return (account.isBroken('pipedrive-5') ? html.replace(/<p>Ref [^<]*<\/p>$/, '') : html)
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/<script[\s\S]*?<\/script>/gi, '')
    .replaceAll(/<([a-z][a-z0-9]*)\s[^<>]*>/gi, '<$1>');
}

function readContent(input: Json): string {
  const content = asText(input['content'], 'content');
  if (content.length > CONTENT_MAX) throw new Refusal(400, 'content is too long');
  return content;
}

function findNote(account: PipedriveAccount, segment: string): SimulatedNote {
  const note = account.notes.get(pathId(segment, 'Note'));
  if (note === undefined) throw new Refusal(404, 'Note not found');
  return note;
}

function toTimeOfV1(time: string): string {
  return time.slice(0, 19).replace('T', ' ');
}

function toResource(account: PipedriveAccount, note: SimulatedNote): Json {
  const person = note.person_id === null ? undefined : account.persons.get(note.person_id);
  return {
    ...note,
    lead_id: null,
    pinned_to_person_flag: false,
    person: person === undefined ? null : { name: person.name },
  };
}
