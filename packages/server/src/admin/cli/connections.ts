import { CRMS, type Crm } from '@svc/contract/vocabulary';
import type { Command } from 'commander';
import { readSigningKey } from '@svc/operations/work/signing-key';
import { type AdminOptions, parseCrm, parseId } from './options.ts';
import { defineConnect } from './connect.ts';
import { defineRemove, defineVerb } from './define.ts';
import { readSecret } from './read-secret.ts';
import { runAdmin } from './run.ts';
import { type SwitchOptions, withSwitches } from './switches.ts';
import { renderTable } from './table.ts';

interface AddOptions extends AdminOptions, SwitchOptions {
  account: number;
  crm: Crm;
  organizationId: string;
  organizationDomain: string;
  tokenFile?: string;
  check: boolean;
  clientId?: string;
  username?: string;
  sandbox: boolean;
  myDomain?: string;
}

export function defineConnections(program: Command): void {
  const connections = program.command('connections').description('CRMs that events are written to');
  defineAdd(connections);
  defineConnect(connections);

  defineVerb(connections, 'list', 'list connections', 'connections list --account 1')
    .option('--account <id>', 'only of this account', parseId)
    .action(async (options: AdminOptions & { account?: number }) => {
      await runAdmin('connections/list', { accountId: options.account }, options, (result) => ({
        text: renderTable(
          result.connections,
          {
            ID: (row) => row.id,
            ACCOUNT: (row) => row.accountId,
            CRM: (row) => row.crm,
            ORGANIZATION: (row) => `${row.organizationId} ${row.organizationDomain}`,
            STATUS: (row) => row.status,
            API: (row) => row.canUseApi,
            SYNC: (row) => row.capabilities.sync,
            DESTINATIONS: (row) => row.capabilities.destinations,
            BLOCKLISTS: (row) => row.capabilities.blocklists,
          },
          'There are no connections yet: add one with svc-server connections add.',
        ),
      }));
    });

  defineVerb(
    connections,
    'disconnect',
    'delete the token of a connection; add it again to reconnect',
    'connections disconnect 2',
  )
    .argument('<id>', 'the connection, as connections list shows it', parseId)
    .action(async (id: number, options: AdminOptions) => {
      await runAdmin('connections/disconnect', { id }, options, ({ connection }) => ({
        text: `Connection ${connection.id} to ${connection.crm} (${connection.organizationDomain}) is disconnected: its token is deleted.`,
      }));
    });

  defineRemove(connections, 'connections/remove', {
    what: 'connection',
    description: 'remove a connection with its settings, keys and logs; the account keeps the received requests',
  });
}

function defineAdd(connections: Command): void {
  const command = defineVerb(
    connections,
    'add',
    'connect an account to a CRM, or reconnect it; the token is read from stdin or a prompt',
    'connections add --account 1 --crm HUBSPOT --organization-id 4711 --organization-domain example.com < token.txt',
  )
    .requiredOption('--account <id>', 'the account', parseId)
    .requiredOption('--crm <crm>', `one of ${CRMS.join(', ')}`, parseCrm)
    .requiredOption('--organization-id <id>', "the CRM's id of the customer's account, such as a HubSpot portal id")
    .requiredOption('--organization-domain <domain>', "the customer's domain, shown in lists")
    .option('--token-file <file>', "read the CRM's access token from this file")
    .option('--client-id <id>', 'Salesforce: the token is the client secret of this app (client credentials)')
    .option(
      '--username <name>',
      'Salesforce, with --client-id: the token is the private key of the app, in PEM (JWT bearer)',
    )
    .option('--sandbox', 'Salesforce, with --client-id: a sandbox', false)
    .option('--my-domain <name>', "Salesforce, with --client-id: the organization's own address, such as acme")
    .option('--no-check', 'store the token without asking the CRM which account and scopes it has');
  withSwitches(command).action(async (options: AddOptions) => {
    const { account: accountId, crm, organizationId, organizationDomain, check: checksToken } = options;
    const { clientId, username, sandbox, myDomain } = options;
    const text = await readSecret('CRM token', options.tokenFile);
    const crmToken = username === undefined ? text : readSigningKey(text);
    const input = {
      ...{ accountId, crm, organizationId, organizationDomain, crmToken, checksToken },
      ...{ clientId, username, sandbox, myDomain },
      ...{
        canUseApi: options.api,
        sync: options.sync,
        destinations: options.destinations,
        blocklists: options.blocklists,
      },
    };
    await runAdmin('connections/add', input, options, ({ connection, isNew, isTokenChecked }) => ({
      text: `Connection ${connection.id} to ${connection.crm} (${connection.organizationDomain}) is ${isNew ? 'added' : 'connected again'}.${isTokenChecked ? ` ${connection.crm} accepts its token for account ${connection.organizationId}.` : ''}`,
    }));
  });
}
