/** Erases the data of a person who asks for it (docs/erasure.md). */
import { parseContactIdentity } from '@svc/domain/contacts/contact-identity';
import * as declared from '../declared/persons.ts';
import { erasePerson } from '../store/erasure.ts';
import { createPersonSearch } from '../store/person-search.ts';
import { invalidInput } from './admin-error.ts';
import { implement } from './operation.ts';
import { assertAccount } from './references.ts';

export const erasePersonData = implement(
  declared.erasePersonData,
  async (ctx, { email, profileUrl, accountId, isConfirmed }) => {
    if (email === undefined && profileUrl === undefined)
      throw invalidInput('Name the person: --email, --profile-url, or both.');
    const person = createPersonSearch(parseContactIdentity({ email, profileUrl }));
    if (accountId !== undefined) await assertAccount(ctx.db, accountId);
    const scope = { person, accountId: accountId ?? null, now: ctx.clock.now() };
    const result = await erasePerson(ctx.db, scope, { isDryRun: !isConfirmed });
    return { isErased: isConfirmed, accountId: accountId ?? null, ...result };
  },
);
