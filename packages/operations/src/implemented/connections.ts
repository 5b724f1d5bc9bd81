import type { CrmUse } from '@svc/crm';
import { toConnection } from '@svc/domain/resources';
import { describeStop, listStops, showQuota } from '@svc/engine/crm/describe-quota';
import { toAccess, writeGrant } from '@svc/engine/crm/grants';
import { lockAccount } from '@svc/engine/store/accounts';
import { listCrmQuotas } from '@svc/engine/store/crm-quotas';
import { describeOutage, listCrmOutages } from '@svc/engine/store/crm-outages';
import { NEW_CONNECTION } from '@svc/engine/store/connections';
import * as declared from '../declared/connections.ts';
import * as store from '../store/connections.ts';
import { AdminError, existing, invalidInput, noSuch } from './admin-error.ts';
import { checkToken } from './crm-tokens.ts';
import { type AdminContext, implement } from './operation.ts';
import { assertAccount, selectConnections } from './references.ts';
import { type NewConnection, toAppGrant } from './salesforce-app.ts';
import { seal } from './sealing.ts';

/**
 * Connects an account to an organization at a CRM. An existing connection is reconnected: its token is replaced, its
 * recorded error is cleared, and only given switches change.
 */
export const addConnection = implement(declared.addConnection, async (ctx, input) => {
  const { accountId, crm, organizationId } = input;
  await assertAccount(ctx.db, accountId);
  const appGrant = await toAppGrant(ctx, input);
  const notices = input.checksToken && appGrant === null ? await refuseUselessToken(ctx, input) : [];
  const secretText = appGrant === null ? input.crmToken : writeGrant(appGrant);
  const { connection, isNew, connectionId } = await ctx.db.transaction(async (tx) => {
    // The lock lets only one of two concurrent additions insert the organization.
    if (!(await lockAccount(tx, accountId))) throw noSuch('account', accountId);
    const known = await store.findConnectionOf(tx, { accountId, crm, organizationId });
    const { organizationDomain } = input;
    const added = { accountId, crm, organizationId, organizationDomain, createdAt: ctx.clock.now() };
    const { id: connectionId } = known ?? (await store.insertConnection(tx, { ...added, ...NEW_CONNECTION }));
    // The token is bound to its row, so the row is inserted first.
    const crmToken = await seal(ctx, tx, secretText, { kind: 'CRM token', id: connectionId });
    const changes = { organizationDomain, crmToken, ...switchFields(input), recordedError: null };
    return { connection: await store.updateConnection(tx, connectionId, changes), isNew: known === null, connectionId };
  });
  return {
    connection: toAdminConnection(existing(connection, 'connection', connectionId)),
    isNew,
    isTokenChecked: input.checksToken && ctx.crmConnector(crm) !== undefined,
    notices: [...connectorNotices(ctx, crm), ...notices],
  };
});

/**
 * Asks the CRM whether this token can do what the connection needs.
 *
 * @returns notices about what a usable token lacks
 * @throws AdminError when it is not usable, or the CRM does not say so
 */
async function refuseUselessToken(ctx: AdminContext, input: NewConnection): Promise<string[]> {
  const { crm, organizationId, crmToken } = input;
  const known = await store.findConnectionOf(ctx.db, input);
  const canSync = input.sync ?? known?.capabilities.sync ?? true;
  const newUses = canSync ? (['events'] as const) : [];
  const uses = known === null ? newUses : await store.findUses(ctx.db, known.id, { canSync });
  return refuseTokenOf(ctx, { crm, organizationId, crmToken }, uses);
}

/** The same for a token that is used for this. @throws AdminError when it is not usable, or the CRM does not say so */
export async function refuseTokenOf(
  ctx: Pick<AdminContext, 'crmConnector'>,
  { crm, organizationId, crmToken }: { crm: string; organizationId: string; crmToken: string },
  uses: readonly CrmUse[],
): Promise<string[]> {
  const access = toAccess({ type: 'private', accessToken: crmToken });
  const verdict = await checkToken(ctx, { crm, organizationId, access }, uses);
  if (verdict === null) return [];
  const unchanged = 'Nothing was stored; --no-check stores it unchecked.';
  switch (verdict.state) {
    case 'not_accepted':
      throw invalidInput(`${crm} does not accept this token: ${verdict.reason}. ${unchanged}`);
    case 'other_account':
      throw invalidInput(
        `This token belongs to ${crm} account ${verdict.organizationId}, not ${organizationId}: give --organization-id ${verdict.organizationId}, or a token of account ${organizationId}. ${unchanged}`,
      );
    case 'scopes_missing':
      throw invalidInput(
        `This token lacks scopes that are needed: ${verdict.missing.join(', ')}. Add them in ${crm}, then repeat the command. ${unchanged}`,
      );
    case 'unknown':
      throw new AdminError('crm_unavailable', `The token could not be checked: ${verdict.reason}. ${unchanged}`);
    case 'usable':
      if (!verdict.areScopesKnown) return [`${crm} does not say which scopes this token has.`];
      return verdict.unused.length === 0
        ? []
        : [`The token lacks scopes that are not needed yet: ${verdict.unused.join(', ')}.`];
  }
}

export const listConnections = implement(declared.listConnections, async (ctx, filter) => {
  const connections = (await selectConnections(ctx.db, filter)).map(toAdminConnection);
  const shown = new Set(connections.map((connection) => connection.id));
  const outages = (await listCrmOutages(ctx.db)).filter(({ connectionId }) => shown.has(connectionId));
  const now = ctx.clock.now();
  const quotas = (await listCrmQuotas(ctx.db, [...shown])).map((quota) => showQuota(quota, now));
  const stops = await listStops(ctx.db, now);
  const stopped = stops.filter(({ connectionId }) => shown.has(connectionId)).map(describeStop);
  return { connections, outages, quotas, notices: [...outages.map(describeOutage), ...stopped] };
});

/** Deletes the token; sources, rows and settings stay. Adding the connection again reconnects it. */
export const disconnectConnection = implement(declared.disconnectConnection, async (ctx, { id }) => ({
  connection: toAdminConnection(
    existing(await store.updateConnection(ctx.db, id, { crmToken: null }), 'connection', id),
  ),
}));

type Switches = Pick<NewConnection, keyof typeof declared.switches>;

export function switchFields({ canUseApi, sync, destinations, blocklists }: Switches): store.ConnectionChanges {
  return {
    canUseApi,
    capabilitySync: sync,
    capabilityDestinations: destinations,
    capabilityBlocklists: blocklists,
  };
}

export function toAdminConnection(row: store.StoredConnection): declared.AdminConnection {
  return { ...toConnection(row), accountId: row.accountId, canUseApi: row.canUseApi };
}

function connectorNotices(ctx: AdminContext, crm: string): string[] {
  if (ctx.crmConnector(crm) !== undefined) return [];
  return [`This release cannot write to ${crm}: events are stored, and their syncs fail.`];
}
