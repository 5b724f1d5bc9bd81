/** The doctor's check of connections whose events are not written, as the database knows them without asking a CRM. */
import { supportsRetry } from '@svc/domain/syncs/sync-retry';
import { listStops } from '@svc/engine/crm/describe-quota';
import type { Grant } from '@svc/engine/crm/grants';
import { listUsedConnections, type UsedConnection } from '@svc/engine/store/connections';
import type { AdminContext } from '../implemented/operation.ts';
import { type Check, fail, warn } from './check.ts';

const NAME = 'connection';
/** More lines would hide the others. */
const SHOWN_MAX = 50;

/**
 * Returns one line for each used connection that is disconnected, and one for each whose events its CRM refuses because of
 * the connection as a whole.
 *
 * @param options.isWorld a world may have such connections on purpose, so they only warn
 */
export async function checkConnections(ctx: AdminContext, { isWorld }: { isWorld: boolean }): Promise<Check[]> {
  const used = await listUsedConnections(ctx.db, { limit: SHOWN_MAX + 1 });
  // Another line says what to do about a daily limit.
  const stopped = new Set((await listStops(ctx.db, ctx.clock.now())).map(({ connectionId }) => connectionId));
  const problems = used.filter(
    ({ id, isConnected, recordedError }) => !isConnected || (recordedError !== null && !stopped.has(id)),
  );
  const checks = problems.slice(0, SHOWN_MAX).map((connection) => toProblem(connection, isWorld));
  return problems.length <= SHOWN_MAX
    ? checks
    : [...checks, warn(NAME, 'there are more', 'svc-server connections list shows all.')];
}

function toProblem(connection: UsedConnection, isWorld: boolean): Check {
  const { id, crm, organizationId, isConnected, recordedError } = connection;
  const what = `connection ${id} (${crm} ${organizationId})`;
  const command = reconnectCommand(connection, tokenKind(connection));
  if (isConnected) {
    const fix = `The next event that is written clears this. To connect it again: ${command}`;
    return warn(NAME, `${what}: ${recordedError}`, fix);
  }
  const retry = supportsRetry(crm) ? ', then write what has failed with svc syncs retry --all' : '';
  const fix = `Connect it again${retry}: ${command}`;
  return (isWorld ? warn : fail)(NAME, `${what} is disconnected, so its events are not written`, fix);
}

/** What the deleted token was, as far as is known. */
function tokenKind({ crm, hasConsent }: UsedConnection): Grant['type'] {
  if (hasConsent) return 'refresh_token';
  return crm === 'SALESFORCE' ? 'client_credentials' : 'private';
}

type Reconnectable = Pick<UsedConnection, 'id' | 'accountId' | 'crm' | 'organizationId' | 'organizationDomain'>;

/** Returns the command that stores a new grant of the same kind. */
export function reconnectCommand(
  { id, accountId, crm, organizationId, organizationDomain }: Reconnectable,
  kind: Grant['type'],
): string {
  if (kind === 'refresh_token')
    return `svc-server connections connect ${crm.toLowerCase()} --account ${accountId} --connection ${id}`;
  const app = {
    private: '',
    client_credentials: ' --client-id ID --my-domain NAME',
    jwt_bearer: ' --client-id ID --username NAME',
  }[kind];
  return `svc-server connections add --account ${accountId} --crm ${crm} --organization-id ${organizationId} --organization-domain ${organizationDomain}${app} --token-file FILE`;
}
