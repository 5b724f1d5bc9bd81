import type { Command } from 'commander';
import { defineAccounts } from './accounts.ts';
import { defineAudit } from './audit.ts';
import { defineBlocklists } from './blocklists.ts';
import { defineCapabilities } from './capabilities.ts';
import { defineConnections } from './connections.ts';
import { defineDestinations } from './destinations.ts';
import { defineErase } from './erase.ts';
import { defineJobs } from './jobs.ts';
import { defineKeys } from './keys.ts';
import { defineRequests } from './requests.ts';
import { defineRelays } from './relays.ts';
import { defineSecrets } from './secrets.ts';
import { defineSources } from './sources.ts';

/** Defines the administrative commands, in the order in which a new account needs them. */
export function defineAdminCommands(program: Command): void {
  defineAccounts(program);
  defineConnections(program);
  defineSources(program);
  defineRequests(program);
  defineKeys(program);
  defineDestinations(program);
  defineRelays(program);
  defineBlocklists(program);
  defineCapabilities(program);
  defineJobs(program);
  defineSecrets(program);
  defineErase(program);
  defineAudit(program);
}
