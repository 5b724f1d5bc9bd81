import type { WritePlan } from '@svc/domain/policy/plan-write';
import { CrmFailure } from '../http/http-failure.ts';
import { type PipedriveSession, tryOptionalPart, type Warnings } from './session.ts';
import { findUserId } from './settings.ts';

/**
 * Who owns what is written. Persons, organizations and activities have owners. A note has none: it has an author
 * (`user_id`), whom only an admin's token may change (Pipedrive's changelog of 17 October 2019), so notes stay with the user
 * of the token.
 */

/** Returns the first candidate of a plan that is a user, or null. */
function findOwnerId(session: PipedriveSession, { owner }: WritePlan, warnings: Warnings): Promise<number | null> {
  return tryOptionalPart(warnings, async () => {
    for (const candidate of owner?.candidates ?? []) {
      const id = await findUserId(session, candidate);
      if (id !== null) return id;
    }
    return null;
  });
}

/** Returns the owner of persons, as a plan says; null when it says none. */
export function findPersonOwner(session: PipedriveSession, plan: WritePlan, warnings: Warnings) {
  return (plan.owner?.contact ?? 'never') === 'never' ? null : findOwnerId(session, plan, warnings);
}

export function findActivityOwner(session: PipedriveSession, plan: WritePlan, warnings: Warnings) {
  return plan.owner?.activities === true ? findOwnerId(session, plan, warnings) : null;
}

export function findCompanyOwner(session: PipedriveSession, plan: WritePlan, warnings: Warnings) {
  return plan.owner?.companies === true ? findOwnerId(session, plan, warnings) : null;
}

/** Creates a record with its owner, who may be deactivated since the users were read. */
export function createOwned<T>(
  ownerId: number | null,
  warnings: Warnings,
  create: (owner: { owner_id?: number }) => Promise<T>,
): Promise<T> {
  return createWithOptional(ownerId === null ? {} : { owner_id: ownerId }, warnings, create);
}

/** Creates a record, which is worth more than its optional fields: when it is refused, it is created without them, with a warning. */
export async function createWithOptional<Optional extends object, T>(
  optional: Optional,
  warnings: Warnings,
  create: (optional: Optional | Record<string, never>) => Promise<T>,
): Promise<T> {
  if (Object.keys(optional).length === 0) return create({});
  try {
    return await create(optional);
  } catch (error) {
    if (!(error instanceof CrmFailure && error.isRefusal)) throw error;
    const created = await create({});
    warnings.push(error.error);
    return created;
  }
}
