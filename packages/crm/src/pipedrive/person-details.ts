import { asObject, asText } from '../http/answer-values.ts';
import { emailOf } from '@svc/domain/contacts/event-contact';
import { companyDomainOf } from '../events/company-domain.ts';
import { CrmFailure } from '../http/http-failure.ts';
import type { CrmWrite } from '../port/types.ts';
import { toHandle, usableProfileUrl } from './identities.ts';
import { findOrCreateOrganization } from './organizations.ts';
import { findPersonOwner } from './owners.ts';
import { PERSON, type PersonDetails, toPerson } from './person.ts';
import type { CustomValue } from './field-values.ts';
import { forgetPersonFields } from './person-fields.ts';
import { type PersonValue, resolveValues, type ValueMark } from './person-values.ts';
import { type PipedriveSession, tryOptionalPart, type Warnings } from './session.ts';
import { ensureOwnField, forgetOwnField, readOwnUserId } from './settings.ts';

/**
 * What an event brings to its person: creates the person, or fills the blanks of one.
 *
 * Lists of addresses and phone numbers are only written when they are empty: a write replaces the whole list. Fields of
 * the contact sync (job title, ...) are never written: without that feature the whole write is refused.
 */

/**
 * A detail of a person that an event can bring. `owner` is the owner of a person whom nobody has chosen one for,
 * `owner:502` a user who replaces the owner.
 */
export type Detail =
  | 'name'
  | 'email'
  | 'phone'
  | 'url'
  | 'organization'
  | 'owner'
  | `owner:${number}`
  | 'unsubscribed'
  | `label:${number}`
  | ValueMark;

const NAME_MAX_LENGTH = 255;
const REPLACED_OWNER = 'owner:';

/**
 * Returns the details that an event brings to a person who has `settled`, which Pipedrive has or refused, and this owner.
 * The plan may say that an existing person is not filled (`writes.fields`).
 */
export async function wantedDetails(
  session: PipedriveSession,
  write: CrmWrite,
  { settled, ownerId }: { settled: ReadonlySet<Detail>; ownerId: number | null },
): Promise<Detail[]> {
  if (!write.plan.writes.fields) return [];
  const wanted = (await listDetails(session, write)).filter((detail) => !settled.has(detail));
  return wanted.filter((detail) => detail !== `owner:${ownerId}`);
}

/** Returns the details that an event knows. */
export async function listDetails(session: PipedriveSession, write: CrmWrite): Promise<Detail[]> {
  const { event, plan } = write;
  const { contact } = event;
  const ownerId = await findPersonOwner(session, plan, []);
  return [
    ...(contact.firstName === null && contact.lastName === null ? [] : ['name' as const]),
    ...(contact.phone === null ? [] : ['phone' as const]),
    ...(usableProfileUrl(event) === null ? [] : ['url' as const]),
    ...(companyDomainOf(write) !== null ? ['organization' as const] : []),
    ...(ownerId === null
      ? []
      : [plan.owner?.contact === 'always' ? (`owner:${ownerId}` as const) : ('owner' as const)]),
  ];
}

export async function createPerson(
  session: PipedriveSession,
  write: CrmWrite,
  warnings: Warnings,
): Promise<{ details: PersonDetails; values: readonly PersonValue[] }> {
  const { event, plan } = write;
  const [email, url] = [emailOf(event), usableProfileUrl(event)];
  const { firstName, lastName, phone } = event.contact;
  const fullName = [firstName, lastName].filter((part) => part !== null).join(' ');
  const name = (fullName || email || toHandle(url ?? event.toEmail)).slice(0, NAME_MAX_LENGTH);
  const emails = email === null ? [] : [{ value: email, primary: true, label: 'work' }];
  const ownerId = await findPersonOwner(session, plan, warnings);
  const code = url === null ? null : await ownUrlField(session, warnings);
  const organizationId = await tryOptionalPart(warnings, () => findOrCreateOrganization(session, write, warnings));
  const optional = {
    ...(phone === null ? {} : { phones: [{ value: phone, primary: true, label: 'work' }] }),
    ...(ownerId === null ? {} : { owner_id: ownerId }),
    ...(organizationId === null ? {} : { org_id: organizationId }),
  };
  const own = code === null || url === null ? {} : { [code]: url };
  const { fieldsOfNew, lastValues } = await resolveValues(session, write);
  const values = [...fieldsOfNew, ...lastValues];
  const call = { operation: 'persons_write', method: 'POST', path: '/api/v2/persons', kind: 'write' } as const;
  const create = async (details: object, custom: Readonly<Record<string, CustomValue>>) => {
    const body = { name, emails, ...details, ...(Object.keys(custom).length === 0 ? {} : { custom_fields: custom }) };
    return toPerson((await session.client.call({ ...call, body, part: PERSON })).data);
  };
  try {
    return { details: await create(optional, { ...own, ...toCustomFields(values) }), values };
  } catch (error) {
    const isPlain = Object.keys({ ...optional, ...own }).length + values.length === 0;
    if (!(error instanceof CrmFailure && error.isRefusal) || isPlain) throw error;
    // The person is worth more than its details; whatever the details refer to is looked up again next time.
    await forgetReferences(session, write);
    const rest = values.length > 0 ? await tryCreate(() => create(optional, own)) : null;
    const created = rest ?? (await create({}, {}));
    // A plan that fills writes the values to the new person, which shows whether they are what was refused.
    if (values.length === 0 || rest === null || !plan.writes.fields) warnings.push(error.error);
    return { details: created, values: [] };
  }
}

/** Returns null when the creation is refused. */
async function tryCreate(create: () => Promise<PersonDetails>): Promise<PersonDetails | null> {
  return tryOptionalPart([], create);
}

export async function readBlanks(
  session: PipedriveSession,
  write: CrmWrite,
  details: PersonDetails,
  wanted: readonly Detail[],
  warnings: Warnings,
): Promise<Record<string, unknown>> {
  const { event } = write;
  const blanks: Record<string, unknown> = {};
  const { contact } = event;
  const [email, url] = [emailOf(event), usableProfileUrl(event)];
  // The name is only filled for a person that has none: one made before the name was known has its address or handle as
  // name.
  const isUnnamed = [email, ...details.emails, url === null ? null : toHandle(url)].includes(details.name);
  if (wanted.includes('name') && isUnnamed) {
    const name = [contact.firstName, contact.lastName].filter((part) => part !== null).join(' ');
    blanks['name'] = name.slice(0, NAME_MAX_LENGTH);
  }
  if (email !== null && details.emails.length === 0)
    blanks['emails'] = [{ value: email, primary: true, label: 'work' }];
  if (wanted.includes('phone') && details.phones.length === 0) {
    blanks['phones'] = [{ value: contact.phone, primary: true, label: 'work' }];
  }
  if (wanted.includes('url')) {
    const code = await ownUrlField(session, warnings);
    if (code !== null && asText(details.customFields[code]) === null) blanks['custom_fields'] = { [code]: url };
  }
  if (wanted.includes('organization') && details.organizationId === null) {
    const id = await tryOptionalPart(warnings, () => findOrCreateOrganization(session, write, warnings));
    if (id !== null) blanks['org_id'] = id;
  }
  if (wanted.includes('owner') && details.ownerId !== null) {
    const ownerId = await findPersonOwner(session, write.plan, warnings);
    // Pipedrive gives every person an owner. When the owner is the token's user, nobody has chosen one.
    const isDefault = ownerId !== details.ownerId && (await readOwnUserId(session)) === details.ownerId;
    if (ownerId !== null && isDefault) blanks['owner_id'] = ownerId;
  }
  for (const detail of wanted) {
    const ownerId = detail.startsWith(REPLACED_OWNER) ? Number(detail.slice(REPLACED_OWNER.length)) : details.ownerId;
    if (ownerId !== details.ownerId) blanks['owner_id'] = ownerId;
  }
  return blanks;
}

/**
 * Writes blanks and custom fields with one call. When it is refused, each of the two is written alone, and the custom fields once more
 * without those that Pipedrive names.
 *
 * @returns the person after the write; null when all of it is refused, which is a warning
 */
export async function fillPerson(
  session: PipedriveSession,
  write: CrmWrite,
  { id }: PersonDetails,
  blanks: Readonly<Record<string, unknown>>,
  custom: Readonly<Record<string, CustomValue>>,
  warnings: Warnings,
): Promise<PersonDetails | null> {
  const [hasBlanks, hasCustom] = [Object.keys(blanks).length > 0, Object.keys(custom).length > 0];
  if (hasBlanks && hasCustom) {
    const body = { ...blanks, custom_fields: { ...asObject(blanks['custom_fields']), ...custom } };
    const filled = await tryOptionalPart([], () => patchPerson(session, id, body, PERSON));
    if (filled !== null) return filled;
  }
  const filled = hasBlanks
    ? await tryOptionalPart(warnings, async () => {
        try {
          return await patchPerson(session, id, blanks, PERSON);
        } catch (error) {
          if (error instanceof CrmFailure && error.isRefusal) await forgetReferences(session, write);
          throw error;
        }
      })
    : null;
  return (hasCustom ? await patchCustomFields(session, id, custom, warnings) : null) ?? filled;
}

async function patchCustomFields(
  session: PipedriveSession,
  id: number,
  custom: Readonly<Record<string, CustomValue>>,
  warnings: Warnings,
): Promise<PersonDetails | null> {
  const refusals: Warnings = [];
  const patch = (fields: object) =>
    tryOptionalPart(refusals, () => patchPerson(session, id, { custom_fields: fields }, 'the fields of the person'));
  const written = await patch(custom);
  const [refused] = refusals;
  if (refused === undefined) return written;
  warnings.push(refused);
  // A field or an option may be deleted.
  await forgetPersonFields(session);
  const accepted = Object.entries(custom).filter(([code]) => !refused.message.includes(code));
  const isNamed = accepted.length > 0 && accepted.length < Object.keys(custom).length;
  return isNamed ? patch(Object.fromEntries(accepted)) : null;
}

function toCustomFields(values: readonly PersonValue[]): Record<string, CustomValue> {
  return Object.fromEntries(values.map(({ code, value }) => [code, value]));
}

export async function patchPerson(
  session: PipedriveSession,
  id: number,
  body: object,
  part: string,
): Promise<PersonDetails> {
  const call = { operation: 'persons_write', method: 'PATCH', path: `/api/v2/persons/${id}`, kind: 'write' } as const;
  return toPerson((await session.client.call({ ...call, body, part })).data);
}

/** Forgets the field and the organization that a refused write referred to: they may be deleted. */
async function forgetReferences(session: PipedriveSession, write: CrmWrite): Promise<void> {
  await forgetOwnField(session, 'profileUrl');
  const domain = companyDomainOf(write);
  if (domain === null) return;
  session.lookUps.delete(`domain:${domain}`);
  await session.records.forget([`domain:${domain}`]);
}

/** Returns the code of the field for profile URLs; null with a warning when it can neither be read nor made. */
export function ownUrlField(session: PipedriveSession, warnings: Warnings): Promise<string | null> {
  return tryOptionalPart(warnings, () => ensureOwnField(session, 'profileUrl'));
}
