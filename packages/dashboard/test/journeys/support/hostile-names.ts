/** Hostile text in everything that an operator names. */
import { AdminError } from '../../../../operations/src/implemented/admin-error.ts';
import type { AdminOperationName } from '../../../../operations/src/perform.ts';
import { hostileText, KIND_COUNT } from './hostile-text.ts';

type Input = Readonly<Record<string, unknown>>;

interface Naming {
  readonly operation: AdminOperationName;
  /** Fields that are as they should be. */
  readonly valid: Input;
  /** Each holds hostile text in turn. */
  readonly hostile: Readonly<Record<string, (text: string) => unknown>>;
}

const asIs = (text: string) => text;
const asAddress = (text: string) => `"${text.replaceAll(/["\\]/g, '')}"@example.com`;
const asUrl = (text: string) => `https://hooks.example.com/${text}`;
const inList = (text: string) => [text];

/** @param at an account with a connection, and a source of it */
function namings(at: { accountId: number; connectionId: number; sourceId: number }): Naming[] {
  const { accountId, connectionId, sourceId } = at;
  const relay = { connectionId, ccEmail: 'rep@example.com' };
  const list = {
    ...{ connectionId, listName: 'Customers', crmListId: '9001', platform: 'emailbison', blockType: 'DOMAIN' },
    ...{ clientId: '1', instanceUrl: 'https://bison.example.com', sequencerToken: 'token' },
  };
  const connection = { accountId, crm: 'HUBSPOT', crmToken: 'token', organizationDomain: 'example.com' };
  const policy = (make: (text: string) => unknown) => ({ policy: make });
  const fields = { eventName: 'event', email: 'email' };
  return [
    { operation: 'accounts/create', valid: {}, hostile: { email: asAddress } },
    { operation: 'users/invite', valid: {}, hostile: { email: asAddress } },
    { operation: 'keys/create', valid: { accountId }, hostile: { name: asIs } },
    {
      operation: 'connections/add',
      valid: { ...connection, organizationId: String(Math.random()) },
      hostile: { organizationId: asIs, organizationDomain: asIs, clientId: asIs, myDomain: asIs },
    },
    {
      operation: 'destinations/add',
      valid: { connectionId, url: 'https://hooks.example.com/' },
      hostile: { url: asUrl, description: asIs },
    },
    {
      operation: 'relays/add',
      valid: relay,
      hostile: {
        ccEmail: asAddress,
        description: asIs,
        bodyTemplates: inList,
        categoryAllowlist: (name) => [{ id: name, name }],
      },
    },
    {
      operation: 'blocklists/add',
      valid: list,
      hostile: { listName: asIs, crmListId: asIs, clientId: asIs, instanceUrl: asUrl },
    },
    { operation: 'sources/add', valid: { connectionId, isConfirmed: true }, hostile: { platform: asIs } },
    {
      operation: 'sources/set-mapping',
      valid: { sourceId },
      hostile: {
        mapping: (text) => ({
          fields: { ...fields, subject: text },
          eventTypes: { [text]: 'ignored' },
          categories: { [text]: text },
          constants: { campaignName: text, eventName: text },
        }),
      },
    },
    {
      operation: 'sources/set-mapping',
      valid: { sourceId },
      hostile: {
        mapping: (text) => ({ fields, eventTypes: { [text]: 'EMAIL_SENT' }, constants: { campaignName: text } }),
      },
    },
    {
      operation: 'sources/set-policy',
      valid: { id: sourceId },
      hostile: policy((text) => ({
        events: [{ when: { categories: [text], campaigns: [text] }, write: [] }],
        fields: [{ to: 'jobtitle', value: text }],
        outcomes: [{ when: { categories: [text] }, task: { subject: text, due: '4h' } }],
      })),
    },
    {
      operation: 'connections/set-policy',
      valid: { id: connectionId },
      hostile: policy((text) => ({ holdUntil: { categories: [text] }, owner: { fallback: text } })),
    },
  ];
}

/**
 * Gives each name each kind of hostile text.
 *
 * @returns for each field how many texts were taken; what was refused was refused as invalid
 */
export async function giveHostileNames(
  at: Parameters<typeof namings>[0],
  perform: (operation: AdminOperationName, input: never) => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const taken = new Map<string, number>();
  for (const { operation, valid, hostile } of namings(at)) {
    for (const [field, make] of Object.entries(hostile)) {
      const name = `${operation} ${field}`;
      for (let kind = 0; kind < KIND_COUNT; kind += 1) {
        const input = { ...valid, [field]: make(hostileText(kind)) };
        const isTaken = await perform(operation, input as never).then(
          () => true,
          (error: unknown) => {
            if (error instanceof AdminError && error.code === 'invalid_input') return false;
            throw new Error(`${name}: ${String(error)}`, { cause: error });
          },
        );
        taken.set(name, (taken.get(name) ?? 0) + Number(isTaken));
      }
    }
  }
  return taken;
}
