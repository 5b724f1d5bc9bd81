import { outreachKeys, parseContactIdentity } from '@svc/domain/contacts/contact-identity';
import { aggregateOutreach } from '@svc/domain/contacts/outreach';
import { logRoute } from '../answer.ts';
import { listCategorySignals, listOutreachRows } from '@svc/engine/store/outreach';

export const getContactOutreach = logRoute(async (ctx, { access, query }) => {
  const identity = parseContactIdentity({ email: query['email'], profileUrl: query['profileUrl'] });
  const keys = outreachKeys(identity);
  const rows = await listOutreachRows(ctx.db, access, keys);
  const categorySignals = await listCategorySignals(ctx.db, access, keys);
  return { json: aggregateOutreach({ identity, rows, categorySignals, now: ctx.clock.now() }) };
});
