import { outreachKeys, parseContactIdentity } from '@svc/domain/contacts/contact-identity';
import { aggregateOutreach } from '@svc/domain/contacts/outreach';
import { logRoute } from '../answer.ts';
import { readOutreach } from '@svc/engine/store/outreach';

export const getContactOutreach = logRoute(async (ctx, { access, query }) => {
  const identity = parseContactIdentity({ email: query['email'], profileUrl: query['profileUrl'] });
  const outreach = await readOutreach(ctx.db, access, outreachKeys(identity));
  return { json: aggregateOutreach({ identity, ...outreach, now: ctx.clock.now() }) };
});
