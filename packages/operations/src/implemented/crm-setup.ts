/** Prepares the CRM of a connection, and proves what this release expects of it. */
import type { CrmFailed, CrmStatement } from '@svc/crm';
import * as declared from '../declared/crm-setup.ts';
import { AdminError, conflict } from './admin-error.ts';
import { askCrm, crmName, isFailed } from './ask-crm.ts';
import { type AdminContext, implement } from './operation.ts';
import { requireConnection } from './references.ts';

export const prepareConnection = implement(declared.prepareConnection, async (ctx, { id, isDryRun }) => {
  const connection = await requireConnection(ctx.db, id);
  assertKnown(ctx, connection.crm);
  const prepared = await askCrm(ctx, connection, (setup, { access }) => setup.prepare({ access, isDryRun }));
  if (isFailed(prepared)) throw notAnswered(connection.crm, prepared);
  return { id, crm: connection.crm, items: prepared.items };
});

export const selfTestConnection = implement(declared.selfTestConnection, async (ctx, { id, isKept }) => {
  const connection = await requireConnection(ctx.db, id);
  const { crm, organizationId } = connection;
  assertKnown(ctx, crm);
  const randomId = Buffer.from(ctx.randomBytes(6)).toString('hex');
  const tested = await askCrm(ctx, connection, async (setup, { access, connector }) => {
    // Before anything is written: whether the token is accepted.
    const answer = await connector.checkAccess(access);
    if (isFailed(answer)) return answer;
    const statements: CrmStatement[] = [];
    const test = setup.selfTest({ access, organizationId, connector, randomId, isKept });
    for await (const statement of test) statements.push(statement);
    return { status: 'tested' as const, statements };
  });
  if (isFailed(tested)) throw notAnswered(crm, tested);
  const kept = `The records of svc-selftest-${randomId}@selftest.example.com stay in ${crmName(crm)}.`;
  return { id, crm, statements: tested.statements, notices: isKept ? [kept] : [] };
});

function assertKnown(ctx: AdminContext, crm: string): void {
  if (ctx.crmSetup(crm) !== undefined) return;
  throw conflict(`This release does not write to ${crmName(crm)}.`);
}

function notAnswered(crm: string, { error }: CrmFailed): AdminError {
  return new AdminError('crm_unavailable', `${crmName(crm)} could not be asked: ${error.message.replace(/\.$/, '')}.`);
}
