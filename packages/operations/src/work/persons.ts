/** Erases the data of a person who asks for it (docs/erasure.md). */
import { parseContactIdentity } from '@svc/domain/contacts/contact-identity';
import * as z from 'zod';
import { type ErasureResult, erasePerson } from '../store/erasure.ts';
import { createPersonSearch } from '../store/person-search.ts';
import { invalidInput } from './admin-error.ts';
import { id, personal } from './fields.ts';
import { adminOperation } from './operation.ts';
import { assertAccount } from './references.ts';

const erasure = z.strictObject({
  email: personal.optional(),
  /** Up to five, with commas. */
  profileUrl: personal.optional(),
  /** Only the data of this account. Default: of all accounts. */
  accountId: id.optional(),
  /** Without it nothing is erased, and the report says what would be. */
  isConfirmed: z.boolean().default(false),
});

export interface ErasureReport extends ErasureResult {
  /** Whether it was erased, or only looked for. */
  isErased: boolean;
  accountId: number | null;
}

export const erasePersonData = adminOperation(
  erasure,
  async (ctx, { email, profileUrl, accountId, isConfirmed }): Promise<ErasureReport> => {
    if (email === undefined && profileUrl === undefined)
      throw invalidInput('Name the person: --email, --profile-url, or both.');
    const person = createPersonSearch(parseContactIdentity({ email, profileUrl }));
    if (accountId !== undefined) await assertAccount(ctx.db, accountId);
    const scope = { person, accountId: accountId ?? null, now: ctx.clock.now() };
    const result = await erasePerson(ctx.db, scope, { isDryRun: !isConfirmed });
    return { isErased: isConfirmed, accountId: accountId ?? null, ...result };
  },
);
