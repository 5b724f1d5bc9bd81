import { API_KEY_SCOPES } from '@svc/contract/vocabulary';
import * as z from 'zod';
import type { StoredKey } from '../store/keys.ts';
import { declare, type InJson, list, noun, one, notices, flagged } from './declare.ts';
import { id, listFilter, name, oneOf, when } from './fields.ts';
import { renderTable } from './table.ts';

export interface AdminKey extends StoredKey {
  /** Requests with an invalid key get a 401. */
  state: 'valid' | 'revoked' | 'rotated' | 'expired';
}

const SHOWN_ONCE = 'The line on stdout is its token. It is shown only once and not stored: keep it safe.';

function describe(key: InJson<AdminKey>): string {
  const reach = key.connectionId === null ? `account ${key.accountId}` : `connection ${key.connectionId}`;
  return `Key ${key.id} "${key.name}" of ${reach} (${key.scopes.join(', ')})`;
}

export const createKey = declare({
  name: 'keys/create',
  description: 'create a key and show its token once',
  details: 'The token is not stored. Requests with an expired key get a 401.',
  example: '--account 1 --name reporting > key.txt',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({
    accountId: id.meta(flagged('--account <id>', 'its account')),
    name: name(100).meta(flagged('--name <name>', 'its purpose')),
    /** `read` is added, because every key has it. */
    scopes: z
      .array(z.enum(API_KEY_SCOPES, `must be one of ${API_KEY_SCOPES.join(', ')}`))
      .default(['read'])
      .meta(flagged('--scope <scope>', 'permissions; write includes read')),
    connectionId: id
      .meta(flagged('--connection <id>', 'restrict it to this connection (default: all of the account)'))
      .nullable()
      .default(null),
    expires: when(
      '--expires <when>',
      'when it expires: 90d, 12h, 2027-01-31 or "2027-01-31 08:00", UTC without an offset (default: never)',
    )
      .nullable()
      .default(null),
  }),
  result: { key: one<AdminKey>(), token: one<string>(), notices },
  print: ({ key, token }) => ({
    text: token,
    note: `${describe(key)} is created${key.expiresAt === null ? '' : ` and expires ${key.expiresAt}`}. ${SHOWN_ONCE}`,
  }),
});

export const listKeys = declare({
  name: 'keys/list',
  description: 'list keys; tokens are not stored',
  details: '`lastUsedAt` is accurate to a minute.',
  example: '--account 1',
  permission: 'read',
  input: listFilter,
  result: { keys: list<AdminKey>() },
  print: ({ keys: rows }) =>
    renderTable(
      rows,
      {
        ID: 'id',
        ACCOUNT: 'accountId',
        NAME: 'name',
        SCOPES: 'scopes',
        CONNECTION: (row) => row.connectionId ?? 'all',
        STATE: 'state',
        CREATED: 'createdAt',
        EXPIRES: 'expiresAt',
        'LAST USED': 'lastUsedAt',
      },
      'There are no keys yet: create one with svc-server keys create.',
    ),
});

export const revokeKey = declare({
  name: 'keys/revoke',
  description: 'make a key permanently invalid, effective immediately',
  example: '3',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({ id: oneOf('key') }),
  result: { key: one<AdminKey>() },
  print: ({ key }) => `Key ${key.id} "${key.name}" is revoked: requests with it get 401 from now on.`,
});

export const rotateKey = declare({
  name: 'keys/rotate',
  description: 'replace a key by a new one, effective immediately',
  details: 'The new key has the same name, scopes, connection and expiry.',
  example: '3',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({ id: oneOf('key') }),
  result: { key: one<AdminKey>(), token: one<string>(), replacedKeyId: one<number>() },
  print: ({ key, token, replacedKeyId }) => ({
    text: token,
    note: `${describe(key)} replaces key ${replacedKeyId}, which gets 401 from now on. ${SHOWN_ONCE}`,
  }),
});

export const keys = noun('keys', 'API keys of accounts', [createKey, listKeys, revokeKey, rotateKey]);
