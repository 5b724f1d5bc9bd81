import { asList, asObject, asText } from '../http/answer-values.ts';
import { CrmFailure, NEVER } from '../http/http-failure.ts';
import type { RememberedUsers } from '../port/types.ts';
import { asId, readPages, unexpected } from './client.ts';
import { createOnce, fresh, once, type PipedriveSession, toRecord } from './session.ts';

/** What is looked up once in a while: the token's user, all users, activity types, our own fields. */

const DAY_MS = 24 * 60 * 60 * 1000;
/** For how long a new user or a changed address may be missed. */
const USERS_MS = 6 * 60 * 60 * 1000;

/** A refused activity asks for the types again, but not more often than this. */
const TYPES_RECHECK_MS = 10 * 60 * 1000;

const ME = 'setting:me';
const USERS = 'setting:users';
const TYPES = 'setting:activity-types';
const ACTIVITY_TYPES = ['email', 'call', 'task'] as const;
export type ActivityType = (typeof ACTIVITY_TYPES)[number];

/** Our own fields. Pipedrive's codes of fields differ from account to account, so they are found by name. */
export const OWN_FIELDS = {
  profileUrl: { path: '/api/v2/personFields', name: 'Sequencer profile URL' },
  companyDomain: { path: '/api/v2/organizationFields', name: 'Sequencer company domain' },
} as const;
export type OwnField = keyof typeof OWN_FIELDS;

/** The identities that these look-ups remember, for one read at the start of a batch. */
export function settingIdentities(users: readonly string[]): string[] {
  const fields = Object.keys(OWN_FIELDS).map((field) => `field:${field}`);
  return [ME, USERS, TYPES, ...ACTIVITY_TYPES.map(typeIdentity), ...fields, ...users.map(userIdentity)];
}

/** Returns the id of the user whom the token belongs to. */
export function readOwnUserId(session: PipedriveSession): Promise<number> {
  return once(session, ME, async () => {
    const known = fresh(session, ME, DAY_MS);
    if (known !== null) return Number(known.recordId);
    const part = 'the look-up of the own user';
    const call = { operation: 'users', method: 'GET', path: '/api/v1/users/me', kind: 'get', part } as const;
    const { data } = await session.client.call(call);
    const id = asId(asObject(data)['id']);
    if (id === null) throw unexpected(part);
    await session.records.write([toRecord(ME, 'user', String(id), session.now())]);
    return id;
  });
}

/** Returns the id of the active user with this address or id, or null. One call reads all users. */
export async function findUserId(session: PipedriveSession, user: string): Promise<number | null> {
  await once(session, USERS, async () => {
    if (fresh(session, USERS, USERS_MS) !== null) return;
    const at = session.now();
    const call = { operation: 'users', method: 'GET', path: '/api/v1/users', kind: 'list' } as const;
    const { data } = await session.client.call({ ...call, part: 'the look-up of the owner' }).catch(async (error) => {
      // Not allowed: the next batch does not ask again.
      if (error instanceof CrmFailure && error.isRefusal) {
        await session.records.write([toRecord(USERS, 'user', 'refused', at)]);
      }
      throw error;
    });
    const users = asList(data).flatMap((item) => {
      const user = asObject(item);
      const [id, address] = [asId(user['id']), asText(user['email'])];
      if (id === null || address === null || user['active_flag'] !== true) return [];
      return [address, String(id)].map((name) => toRecord(userIdentity(name), 'user', String(id), at));
    });
    await session.records.write([...users, toRecord(USERS, 'user', 'all', at)]);
  });
  // Users who are no longer listed are left over from an earlier look-up.
  const [found, all] = [session.records.get(userIdentity(user)), session.records.get(USERS)];
  return found === null || all === null || found.checkedAt < all.checkedAt ? null : Number(found.recordId);
}

/** Returns the key of an activity type. Admins can change types: without this one, the first active one is used. */
export async function readActivityType(session: PipedriveSession, type: ActivityType): Promise<string> {
  await once(session, TYPES, async () => {
    if (fresh(session, TYPES, DAY_MS) !== null) return;
    const part = 'the look-up of activity types';
    const call = { operation: 'activities_read', method: 'GET', path: '/api/v1/activityTypes', kind: 'list' } as const;
    const { data } = await session.client.call({ ...call, part });
    const keys = asList(data).flatMap((item) => {
      const { key_string, active_flag } = asObject(item);
      return active_flag === false ? [] : (asText(key_string) ?? []);
    });
    const [first] = keys;
    if (first === undefined) throw unexpected(part);
    const records = ACTIVITY_TYPES.map((name) =>
      toRecord(typeIdentity(name), 'activityType', keys.includes(name) ? name : first, session.now()),
    );
    await session.records.write([...records, toRecord(TYPES, 'activityType', 'all', session.now())]);
  });
  return session.records.get(typeIdentity(type))?.recordId ?? type;
}

/** Looks the activity types up again after a refusal, unless that was done lately. */
export async function refreshActivityTypes(session: PipedriveSession): Promise<void> {
  if (fresh(session, TYPES, TYPES_RECHECK_MS) !== null) return;
  session.lookUps.delete(TYPES);
  await session.records.forget([TYPES]);
}

/** Returns the code of one of our fields, which is made if it is missing. @throws CrmFailure */
export function ensureOwnField(session: PipedriveSession, field: OwnField): Promise<string> {
  const identity = `field:${field}`;
  return once(session, identity, async () => {
    const known = session.records.get(identity);
    if (known !== null) return known.recordId;
    const { path, name } = OWN_FIELDS[field];
    const part = `the field "${name}"`;
    const found = await findField(session, path, name, part);
    const code =
      found ??
      (await createOnce(session, {
        identity,
        recordType: 'field',
        find: () => findField(session, path, name, part),
        create: async () => {
          const body = { field_name: name, field_type: 'varchar' };
          const call = { operation: 'fields', method: 'POST', path, kind: 'write', body, part } as const;
          return toField((await session.client.call(call)).data, part);
        },
        toRecords: (made) => [toRecord(identity, 'field', made, session.now())],
      }));
    await session.records.write([toRecord(identity, 'field', code, session.now())]);
    return code;
  });
}

/** Makes the next write look the field up again: an admin may have deleted it. */
export async function forgetOwnField(session: PipedriveSession, field: OwnField): Promise<void> {
  session.lookUps.delete(`field:${field}`);
  await session.records.forget([`field:${field}`]);
}

/** Names are not unique: always the first field with the name. */
async function findField(session: PipedriveSession, path: string, name: string, part: string): Promise<string | null> {
  const call = { operation: 'fields', path: `${path}?limit=500`, part } as const;
  for await (const { items } of readPages(session.client, call)) {
    const field = items.find((item) => {
      const { field_name, field_type, is_custom_field } = asObject(item);
      return field_name === name && field_type === 'varchar' && is_custom_field === true;
    });
    if (field !== undefined) return toField(field, part);
  }
  return null;
}

function toField(data: unknown, part: string): string {
  const code = asText(asObject(data)['field_code']);
  if (code === null || !/^[0-9a-f]{40}$/.test(code)) {
    const message = `Pipedrive's answer to ${part} has no code of the field`;
    throw new CrmFailure({ code: 'unexpected_answer', message, httpStatus: 200 }, NEVER);
  }
  return code;
}

function userIdentity(user: string): string {
  return `user:${user.toLowerCase()}`;
}

/** Only users are remembered; of other addresses nothing is known. */
export const PIPEDRIVE_USERS: RememberedUsers = { identityOf: userIdentity, isUser: () => true };

function typeIdentity(type: ActivityType): string {
  return `activity-type:${type}`;
}
