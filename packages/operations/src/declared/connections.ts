import type { Connection } from '@svc/contract/types';
import { CRMS } from '@svc/contract/vocabulary';
import type { ShownQuota } from '@svc/engine/crm/describe-quota';
import type { ShownOutage } from '@svc/engine/store/crm-outages';
import * as z from 'zod';
import { prepareConnection, selfTestConnection } from './crm-setup.ts';
import { declare, list, noun, one, notices, flagged } from './declare.ts';
import { domain, id, name, oneOf, secret } from './fields.ts';
import { declareRemoval } from './removal.ts';
import { renderTable } from './table.ts';
import { listConnectionPolicies, setConnectionPolicy, showConnectionPolicy } from './write-policies.ts';

/** The API's resource with fields for the operator. */
export interface AdminConnection extends Connection {
  accountId: number;
  canUseApi: boolean;
}

/** The switches of a connection; absent ones keep their value, or get the default of a new connection. */
export const switches = {
  canUseApi: z.boolean().meta(flagged('--api <on|off>', 'API access (new connections: on)')).optional(),
  sync: z.boolean().meta(flagged('--sync <on|off>', 'writing events to the CRM (new connections: on)')).optional(),
  destinations: z
    .boolean()
    .meta(flagged('--destinations <on|off>', 'forwarding events and relaying replies (new connections: off)'))
    .optional(),
  blocklists: z.boolean().meta(flagged('--blocklists <on|off>', 'block lists (new connections: off)')).optional(),
};

function crmNamed(...names: readonly string[]) {
  return z
    .preprocess(
      (value) => (typeof value === 'string' ? value.toUpperCase() : value),
      z.enum(CRMS, `must be one of ${names.join(', ')}`),
    )
    .meta({ description: `one of ${names.join(', ')}`, parse: parseCrm });
}

function parseCrm(text: string): string {
  const crm = CRMS.find((known) => known === text.toUpperCase());
  if (crm === undefined) throw new Error(`Allowed choices are ${CRMS.join(', ')}.`);
  return crm;
}

const organizationDomain = domain.meta(
  flagged('--organization-domain <domain>', "the customer's domain, shown in lists"),
);

export const addConnection = declare({
  name: 'connections/add',
  description: 'connect an account to a CRM, or reconnect it; the token is read from stdin or a prompt',
  details:
    'The CRM is asked first: a token that it does not accept, of another account, or without the needed scopes is refused, unless `--no-check` is given. Repeating it for the same organization replaces the token and reconnects it.',
  example: '--account 1 --crm HUBSPOT --organization-id 4711 --organization-domain example.com < token.txt',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({
    accountId: id.meta(flagged('--account <id>', 'the account')),
    crm: crmNamed(...CRMS).meta({ flag: '--crm <crm>' }),
    organizationId: name(255).meta(
      flagged('--organization-id <id>', "the CRM's id of the customer's account, such as a HubSpot portal id"),
    ),
    organizationDomain,
    /** In clear text; stored encrypted. With `clientId` it is the secret of this app, and with `username` its private key (PKCS #8 DER in base64). */
    crmToken: secret.meta(
      flagged('--token-file <file>', "read the CRM's access token from this file", { secret: 'CRM token' }),
    ),
    clientId: name(512)
      .meta(flagged('--client-id <id>', 'Salesforce: the token is the client secret of this app (client credentials)'))
      .optional(),
    username: name(255)
      .meta(
        flagged(
          '--username <name>',
          'Salesforce, with --client-id: the token is the private key of the app, in PEM (JWT bearer)',
        ),
      )
      .optional(),
    sandbox: z.boolean().default(false).meta(flagged('--sandbox', 'Salesforce, with --client-id: a sandbox')),
    myDomain: name(253)
      .meta(flagged('--my-domain <name>', "Salesforce, with --client-id: the organization's own address, such as acme"))
      .optional(),
    /** Whether to ask the CRM about the token first, and to refuse one that cannot work. */
    checksToken: z
      .boolean()
      .default(false)
      .meta(flagged('--no-check', 'store the token without asking the CRM which account and scopes it has')),
    ...switches,
  }),
  result: { connection: one<AdminConnection>(), isNew: one<boolean>(), isTokenChecked: one<boolean>(), notices },
  print: ({ connection, isNew, isTokenChecked }) =>
    `Connection ${connection.id} to ${connection.crm} (${connection.organizationDomain}) is ${isNew ? 'added' : 'connected again'}.${isTokenChecked ? ` ${connection.crm} accepts its token for account ${connection.organizationId}.` : ''}`,
});

export interface Consent {
  id: number;
  url: string;
  redirectUrl: string;
  expiresAt: Date;
}

export const connectConnection = declare({
  name: 'connections/connect',
  description: 'connect an account to a CRM, or reconnect it, on the consent page of the CRM',
  details:
    'It prints and opens the page, and waits until a user has allowed access there ([apps](../../docs/operating.md#connect-with-an-app)); with `--json` it does not wait.',
  example: 'hubspot --account 1',
  permission: 'write',
  input: z.strictObject({
    crm: crmNamed(...CRMS.map((crm) => crm.toLowerCase())).meta({ flag: '<crm>' }),
    accountId: id.meta(flagged('--account <id>', 'the account')),
    /** Default: the account's connection to the organization, or a new one. */
    connectionId: id.meta(flagged('--connection <id>', 'reconnect this connection, and no other')).optional(),
    organizationDomain: organizationDomain
      .meta({ description: "the customer's domain, shown in lists (default: the host of its API)" })
      .optional(),
    sandbox: z.boolean().default(false).meta(flagged('--sandbox', 'Salesforce: sign in to a sandbox')),
    /** `acme`, or a host such as `acme--dev.sandbox.my.salesforce.com`. */
    myDomain: name(253)
      .meta(flagged('--my-domain <name>', "Salesforce: sign in at the organization's own address, such as acme"))
      .optional(),
    ...switches,
  }),
  result: { consent: one<Consent>('id', 'url', 'redirectUrl', 'expiresAt'), notices },
});

export const readConnectResult = declare({
  name: 'connections/connect-result',
  command: null,
  description: 'what became of a consent',
  permission: 'read',
  input: z.strictObject({ id }),
  result: {
    state: one<'connected' | 'failed' | 'expired' | 'pending'>(),
    connectionId: one<number | null>(),
    error: one<string | null>(),
  },
});

export const listConnections = declare({
  name: 'connections/list',
  description: 'list connections',
  example: '--account 1',
  permission: 'read',
  input: z.strictObject({
    accountId: id.meta(flagged('--account <id>', 'only of this account')).optional(),
  }),
  result: {
    connections: list<AdminConnection>(),
    outages: list<ShownOutage>(),
    /** The quota of each connection that has called its CRM. */
    quotas: list<ShownQuota>(),
    notices,
  },
  print: ({ connections: rows }) =>
    renderTable(
      rows,
      {
        ID: 'id',
        ACCOUNT: 'accountId',
        CRM: 'crm',
        ORGANIZATION: (row) => `${row.organizationId} ${row.organizationDomain}`,
        STATUS: 'status',
        API: 'canUseApi',
        SYNC: (row) => row.capabilities.sync,
        DESTINATIONS: (row) => row.capabilities.destinations,
        BLOCKLISTS: (row) => row.capabilities.blocklists,
      },
      'There are no connections yet: add one with svc-server connections add.',
    ),
});

export const disconnectConnection = declare({
  name: 'connections/disconnect',
  description: 'delete the token of a connection; add it again to reconnect',
  example: '2',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({ id: oneOf('connection') }),
  result: { connection: one<AdminConnection>() },
  print: ({ connection }) =>
    `Connection ${connection.id} to ${connection.crm} (${connection.organizationDomain}) is disconnected: its token is deleted.`,
});

export const removeConnection = declareRemoval(
  'connection',
  'remove a connection with its settings, keys and logs; the account keeps the received requests',
);

export const connections = noun(
  'connections',
  'CRMs that events are written to',
  [
    addConnection,
    connectConnection,
    readConnectResult,
    listConnections,
    showConnectionPolicy,
    setConnectionPolicy,
    listConnectionPolicies,
    prepareConnection,
    selfTestConnection,
    disconnectConnection,
    removeConnection,
  ],
  { policy: 'what of the events of all its sources reaches the CRM' },
);
