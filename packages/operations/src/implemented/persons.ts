/** One person: what happened with them, and the erasure of their data (docs/erasure.md). */
import { outreachKeys, parseContactIdentity } from '@svc/domain/contacts/contact-identity';
import { aggregateOutreach } from '@svc/domain/contacts/outreach';
import { findPersonRecords } from '@svc/engine/crm/person-records';
import { listCategorySignals, listOutreachRows } from '@svc/engine/store/outreach';
import * as declared from '../declared/persons.ts';
import { erasePerson } from '../store/erasure.ts';
import { createPersonSearch } from '../store/person-search.ts';
import { readPersonStory, storedKeys } from '../store/person-story.ts';
import { invalidInput } from './admin-error.ts';
import { implement } from './operation.ts';
import { assertAccount, operatorAccess, selectConnections } from './references.ts';

export const erasePersonData = implement(
  declared.erasePersonData,
  async (ctx, { email, profileUrl, accountId, isConfirmed }) => {
    const person = createPersonSearch(parsePerson({ email, profileUrl }));
    if (accountId !== undefined) await assertAccount(ctx.db, accountId);
    const scope = { person, accountId: accountId ?? null, now: ctx.clock.now() };
    const result = await erasePerson(ctx.db, scope, { isDryRun: !isConfirmed });
    return { isErased: isConfirmed, accountId: accountId ?? null, ...result };
  },
);

export const showPerson = implement(declared.showPerson, async (ctx, { accountId, email, profileUrl, limit }) => {
  const identity = parsePerson({ email, profileUrl });
  const connections = await selectConnections(ctx.db, { accountId });
  const access = { ...operatorAccess(connections), accountId };
  const { connectionIds } = access;
  const keys = outreachKeys(identity);
  const rows = await listOutreachRows(ctx.db, access, keys);
  const categorySignals = await listCategorySignals(ctx.db, access, keys);
  return {
    outreach: aggregateOutreach({ identity, rows, categorySignals, now: ctx.clock.now() }),
    records: await findPersonRecords(ctx, connectionIds, storedKeys(identity)),
    ...(await readPersonStory(ctx.db, { accountId, connectionIds, identity, limit })),
  };
});

export const findRecords = implement(declared.findRecords, async (ctx, { accountId, people }) => {
  const connections = await selectConnections(ctx.db, { accountId });
  const connectionIds = connections.map(({ id }) => id);
  const stored = people.map((person) => person.toLowerCase());
  return { records: await findPersonRecords(ctx, connectionIds, stored) };
});

function parsePerson({ email, profileUrl }: { email?: string | undefined; profileUrl?: string | undefined }) {
  if (email === undefined && profileUrl === undefined)
    throw invalidInput('Name the person: --email, --profile-url, or both.');
  return parseContactIdentity({ email, profileUrl });
}
