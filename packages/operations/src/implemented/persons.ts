/** One person: what happened with them, and the erasure of their data (docs/erasure.md). */
import { type ContactIdentity, outreachKeys, parseContactIdentity } from '@svc/domain/contacts/contact-identity';
import { aggregateOutreach } from '@svc/domain/contacts/outreach';
import { findPersonRecords } from '@svc/engine/crm/person-records';
import { readOutreach } from '@svc/engine/store/outreach';
import * as declared from '../declared/persons.ts';
import { erasePerson } from '../store/erasure.ts';
import { createPersonSearch } from '../store/person-search.ts';
import { countPersonRows } from '../store/person-counts.ts';
import { findAccountsOf, readPersonStory, storedKeys, withoutJit } from '../store/person-story.ts';
import { invalidInput } from './admin-error.ts';
import { type AdminContext, implement } from './operation.ts';
import { timelineOf } from './person-timeline.ts';
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

export const showPerson = implement(declared.showPerson, async (ctx, { person, accountId: wanted, limit }) => {
  const identity = parsePerson(splitIdentities(person));
  if (wanted !== undefined) await assertAccount(ctx.db, wanted);
  const accountId = wanted ?? (await findAccount(ctx, identity));
  const connections = accountId === null ? [] : await selectConnections(ctx.db, { accountId });
  const access = { ...operatorAccess(connections), accountId: accountId ?? 0 };
  const outreach = await readOutreach(ctx.db, access, outreachKeys(identity));
  const { connectionIds } = access;
  const records = await findPersonRecords(ctx, connectionIds, storedKeys(identity));
  const scope = { accountId: access.accountId, connectionIds, identity, limit };
  const { story, counts } = await withoutJit(ctx.db, async (tx) => ({
    story: await readPersonStory(tx, scope),
    counts: await countPersonRows(tx, scope),
  }));
  return {
    accountId,
    outreach: aggregateOutreach({ identity, ...outreach, now: ctx.clock.now() }),
    timeline: timelineOf(story, records),
    records,
    ...story,
    counts,
  };
});

/** @throws AdminError when several accounts have the person */
async function findAccount({ db }: AdminContext, identity: ContactIdentity): Promise<number | null> {
  const [first = null, ...others] = await withoutJit(db, (tx) => findAccountsOf(tx, identity));
  if (others.length === 0) return first;
  throw invalidInput(`The accounts ${[first, ...others].join(', ')} have this person: name one with --account.`);
}

/** An address has no slash, and a profile URL has one. */
function splitIdentities(text: string): { email?: string; profileUrl?: string } {
  const [profiles = [], emails = []] = ['/', ''].map((mark) =>
    text.split(',').filter((each) => each.includes('/') === (mark === '/')),
  );
  if (emails.length > 1) throw invalidInput('person: must have at most one address');
  const [email] = emails;
  return {
    ...(email === undefined ? {} : { email }),
    ...(profiles.length === 0 ? {} : { profileUrl: profiles.join(',') }),
  };
}

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
