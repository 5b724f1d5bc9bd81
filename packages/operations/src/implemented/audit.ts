import * as declared from '../declared/audit.ts';
import * as store from '../store/audit-log.ts';
import { parseOperatorInstant } from './instants.ts';
import { implement } from './operation.ts';

export const listAudit = implement(declared.listAudit, async (ctx, { since, limit }) => {
  const from =
    since === undefined ? null : parseOperatorInstant('since', since, { now: ctx.clock.now(), ages: 'past' });
  return { entries: await store.listAuditEntries(ctx.db, { from, limit }) };
});
