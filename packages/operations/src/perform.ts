/** All operations with their work. */
import type { Declaration } from './declared/declare.ts';
import { type AdminOperationName, type AdminResult, NOUNS } from './declared/index.ts';
import * as doctor from './doctor/installation.ts';
import * as accounts from './implemented/accounts.ts';
import * as audit from './implemented/audit.ts';
import * as backup from './implemented/backup.ts';
import * as alerts from './implemented/alerts.ts';
import * as blocklists from './implemented/blocklists.ts';
import * as capabilities from './implemented/capabilities.ts';
import * as config from './implemented/config.ts';
import * as connect from './implemented/connect.ts';
import * as connections from './implemented/connections.ts';
import * as crmSetup from './implemented/crm-setup.ts';
import * as destinations from './implemented/destinations.ts';
import * as heldEvents from './implemented/held-events.ts';
import * as jobs from './implemented/jobs.ts';
import * as keys from './implemented/keys.ts';
import { type AdminContext, type Operation, perform } from './implemented/operation.ts';
import * as persons from './implemented/persons.ts';
import * as policyTry from './implemented/policy-try.ts';
import * as relays from './implemented/relays.ts';
import { implementRemovals } from './implemented/removal.ts';
import * as requests from './implemented/requests.ts';
import * as secrets from './implemented/secrets.ts';
import * as sequencerKeys from './implemented/sequencer-keys.ts';
import * as sourceMappings from './implemented/source-mappings.ts';
import * as sourceSecrets from './implemented/source-secrets.ts';
import * as backfills from './implemented/backfills.ts';
import * as sourceWebhooks from './implemented/source-webhooks.ts';
import * as sources from './implemented/sources.ts';
import * as users from './implemented/users.ts';
import * as writePolicies from './implemented/write-policies.ts';

/** Operations by name. */
export type Operations = ReadonlyMap<string, Operation>;

/**
 * @param modules whatever they export that is an operation
 * @throws Error for a declared operation whose work is missing, and names the file that needs it
 */
export function collectOperations(declared: readonly Declaration[], modules: readonly object[]): Operations {
  const exported = modules.flatMap((module): unknown[] => Object.values(module)).filter(isOperation);
  const found = [...exported, ...implementRemovals(declared)];
  const byName = new Map(found.map((operation) => [operation.declaration.name, operation]));
  for (const { name } of declared) {
    if (byName.has(name)) continue;
    const file = `packages/operations/src/implemented/${name.split('/')[0]}.ts`;
    throw new Error(
      `${name} is declared, but nothing does it: export an implement(...) of it from ${file}, which packages/operations/src/perform.ts imports.`,
    );
  }
  return byName;
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'declaration' in value && 'run' in value;
}

export const operations = collectOperations(
  NOUNS.flatMap((noun): readonly Declaration[] => noun.operations),
  [
    ...[
      accounts,
      alerts,
      audit,
      backup,
      blocklists,
      capabilities,
      config,
      connect,
      connections,
      crmSetup,
      destinations,
      doctor,
      heldEvents,
      jobs,
      keys,
    ],
    ...[
      persons,
      policyTry,
      relays,
      requests,
      secrets,
      sequencerKeys,
      sourceMappings,
      sourceSecrets,
      backfills,
      sourceWebhooks,
      sources,
    ],
    ...[users, writePolicies],
  ],
);

/**
 * Runs one of them, and records changes in the audit log.
 *
 * @param input checked by the operation
 * @param actor who called, for the audit log
 * @throws AdminError when it is refused
 */
export async function performAdmin<Name extends AdminOperationName>(
  ctx: AdminContext,
  name: Name,
  input: unknown,
  actor: string,
): Promise<AdminResult<Name>> {
  const operation = operations.get(name);
  if (operation === undefined) throw new Error(`There is no operation ${name}.`);
  // The declaration pairs each name with its result type, which a call by name cannot express.
  return (await perform(ctx, operation, { input, actor })) as AdminResult<Name>;
}

export type { AdminInput, AdminOperationName, AdminResult } from './declared/index.ts';
