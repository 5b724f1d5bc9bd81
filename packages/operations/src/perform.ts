/** All administrative operations by noun and verb: the commands of svc-server, and the paths of its socket. */
import { checkInstallation } from './doctor/installation.ts';
import { createAccount, listAccounts, removeAccount } from './work/accounts.ts';
import { runAudited, listAudit } from './work/audit.ts';
import { copyForBackup, finishBackup } from './work/backup.ts';
import {
  addBlocklist,
  listBlocklists,
  removeBlocklist,
  setBlocklistToken,
  updateBlocklist,
} from './work/blocklists.ts';
import { setCapabilities } from './work/capabilities.ts';
import { connectConnection, readConnectResult } from './work/connect.ts';
import { addConnection, disconnectConnection, listConnections, removeConnection } from './work/connections.ts';
import {
  addDestination,
  bindDestination,
  listDestinations,
  removeDestination,
  unbindDestination,
  updateDestination,
} from './work/destinations.ts';
import { listSetAsideJobs, retrySetAsideJobs } from './work/jobs.ts';
import { createKey, listKeys, revokeKey, rotateKey } from './work/keys.ts';
import type { AdminContext, AdminOperation } from './work/operation.ts';
import { erasePersonData } from './work/persons.ts';
import { listReceipts, listRuns, reprocessReceipts, showReceipt, stopRun } from './work/requests.ts';
import {
  addRelay,
  bindRelay,
  listRelayLog,
  listRelays,
  removeRelay,
  resendMail,
  unbindRelay,
  updateRelay,
} from './work/relays.ts';
import { discardSecrets, reencryptSecrets } from './work/secrets.ts';
import { listMappings, proposeSourceMapping, setMapping, tryMapping } from './work/source-mappings.ts';
import { removeSourceSecret, setSourceSecret } from './work/source-secrets.ts';
import { addSource, listSources, removeSource, updateSource } from './work/sources.ts';

export const adminOperations = {
  'accounts/create': createAccount,
  'accounts/list': listAccounts,
  'accounts/remove': removeAccount,
  'keys/create': createKey,
  'keys/list': listKeys,
  'keys/revoke': revokeKey,
  'keys/rotate': rotateKey,
  'connections/add': addConnection,
  'connections/connect': connectConnection,
  'connections/connect-result': readConnectResult,
  'connections/list': listConnections,
  'connections/remove': removeConnection,
  'connections/disconnect': disconnectConnection,
  'sources/add': addSource,
  'sources/list': listSources,
  'sources/update': updateSource,
  'sources/remove': removeSource,
  'sources/set-secret': setSourceSecret,
  'sources/remove-secret': removeSourceSecret,
  'sources/mappings': listMappings,
  'sources/set-mapping': setMapping,
  'sources/propose-mapping': proposeSourceMapping,
  'sources/try': tryMapping,
  'requests/list': listReceipts,
  'requests/show': showReceipt,
  'requests/reprocess': reprocessReceipts,
  'requests/runs': listRuns,
  'requests/stop': stopRun,
  'destinations/add': addDestination,
  'destinations/bind': bindDestination,
  'destinations/unbind': unbindDestination,
  'destinations/list': listDestinations,
  'destinations/update': updateDestination,
  'destinations/remove': removeDestination,
  'relays/add': addRelay,
  'relays/bind': bindRelay,
  'relays/list': listRelays,
  'relays/log': listRelayLog,
  'relays/resend': resendMail,
  'relays/update': updateRelay,
  'relays/unbind': unbindRelay,
  'relays/remove': removeRelay,
  'blocklists/add': addBlocklist,
  'blocklists/list': listBlocklists,
  'blocklists/update': updateBlocklist,
  'blocklists/remove': removeBlocklist,
  'blocklists/set-token': setBlocklistToken,
  'capabilities/set': setCapabilities,
  'jobs/list': listSetAsideJobs,
  'jobs/retry': retrySetAsideJobs,
  'secrets/reencrypt': reencryptSecrets,
  'secrets/discard': discardSecrets,
  'backup/copy': copyForBackup,
  'backup/finish': finishBackup,
  'persons/erase': erasePersonData,
  'audit/list': listAudit,
  'doctor/check': checkInstallation,
} as const;

type Operations = typeof adminOperations;
export type AdminOperationName = keyof Operations;
export type AdminInput<Name extends AdminOperationName> = Parameters<Operations[Name]>[1];
export type AdminResult<Name extends AdminOperationName> = Awaited<ReturnType<Operations[Name]>>;

export function isAdminOperation(name: string): name is AdminOperationName {
  return Object.hasOwn(adminOperations, name);
}

/**
 * Runs one operation for a command, and records changes in the audit log.
 *
 * @param input checked by the operation
 * @param actor who called, for the audit log
 */
export function performAdmin(
  ctx: AdminContext,
  name: AdminOperationName,
  input: unknown,
  actor: string,
): Promise<object> {
  const operation = adminOperations[name] as AdminOperation<unknown, object>;
  return isReading(name) ? operation(ctx, input) : runAudited(ctx, { name, actor, input }, operation);
}

const READING: ReadonlySet<AdminOperationName> = new Set([
  'doctor/check',
  'connections/connect-result',
  'relays/log',
  'requests/show',
  'requests/runs',
  'sources/mappings',
  'sources/propose-mapping',
  // Its input is a payload, which the audit log must not have.
  'sources/try',
]);

function isReading(name: AdminOperationName): boolean {
  return name.endsWith('/list') || READING.has(name);
}
