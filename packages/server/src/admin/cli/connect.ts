import { setTimeout as sleep } from 'node:timers/promises';
import { CRMS, type Crm } from '@svc/contract/vocabulary';
import type { Command } from 'commander';
import { AdminError } from '@svc/operations/work/admin-error';
import { defineVerb } from './define.ts';
import { openBrowser } from './open-browser.ts';
import { type AdminOptions, configFor, parseCrm, parseId } from './options.ts';
import { runAdmin } from './run.ts';
import { type SwitchOptions, withSwitches } from './switches.ts';

const POLL_MS = 1_000;

interface ConnectOptions extends AdminOptions, SwitchOptions {
  account: number;
  connection?: number;
  organizationDomain?: string;
  sandbox: boolean;
  myDomain?: string;
  browser: boolean;
  wait: boolean;
}

/** Defines `connections connect CRM`. */
export function defineConnect(connections: Command): void {
  const command = defineVerb(
    connections,
    'connect',
    'connect an account to a CRM, or reconnect it, on the consent page of the CRM',
    'connections connect hubspot --account 1',
  )
    .argument('<crm>', `one of ${CRMS.map((crm) => crm.toLowerCase()).join(', ')}`, parseCrm)
    .requiredOption('--account <id>', 'the account', parseId)
    .option('--connection <id>', 'reconnect this connection, and no other', parseId)
    .option('--organization-domain <domain>', "the customer's domain, shown in lists (default: the host of its API)")
    .option('--sandbox', 'Salesforce: sign in to a sandbox', false)
    .option('--my-domain <name>', "Salesforce: sign in at the organization's own address, such as acme")
    .option('--no-browser', 'only print the address of the consent page')
    .option('--no-wait', 'do not wait for the consent');
  withSwitches(command).action(async (crm: Crm, options: ConnectOptions) => {
    const { account: accountId, connection: connectionId, organizationDomain, sandbox, myDomain } = options;
    const input = {
      ...{ accountId, crm, connectionId, organizationDomain, sandbox, myDomain },
      ...{
        canUseApi: options.api,
        sync: options.sync,
        destinations: options.destinations,
        blocklists: options.blocklists,
      },
    };
    const { consent } = await runAdmin('connections/connect', input, options, ({ consent: begun }) => ({
      text: begun.url,
      note: `Open this address within ten minutes and allow access.${options.wait ? ' Waiting ...' : ''}`,
    }));
    if (options.json) return;
    if (options.browser) await openBrowser(consent.url);
    if (options.wait) await waitForResult(consent.id, options);
  });
}

/** @throws AdminError when nothing was connected */
async function waitForResult(id: number, options: AdminOptions): Promise<void> {
  const { executeAdmin } = await import('../execute.ts');
  const config = configFor(options);
  for (;;) {
    const result = await executeAdmin(config, 'connections/connect-result', { id });
    if (result.state === 'connected') {
      process.stdout.write(`Connection ${result.connectionId} is connected.\n`);
      return;
    }
    if (result.state === 'failed') throw new AdminError('conflict', result.error);
    if (result.state === 'expired') throw new AdminError('conflict', 'Nobody allowed access within ten minutes.');
    await sleep(POLL_MS);
  }
}
