import type { Blocklist } from '@svc/contract/types';
import { BLOCK_TYPES } from '@svc/contract/vocabulary';
import { ROUND_MINUTES_MAX, ROUND_MINUTES_MIN } from '@svc/domain/blocklists/blocklist-schedule';
import { isSuppressedKind } from '@svc/domain/policy/suppression';
import { parseDuration } from '@svc/domain/values/duration';
import * as z from 'zod';
import { declare, list, noun, one, notices, flagged } from './declare.ts';
import { id, listFilter, name, oneOf, parseNames, platform, secret, url } from './fields.ts';
import { declareRemoval } from './removal.ts';
import { renderTable } from './table.ts';

const listName = name(255).meta(flagged('--name <name>', 'its name'));
const crmListId = name(255).meta(
  flagged(
    '--crm-list-id <id>',
    'the CRM list that fills it: a HubSpot list, a Salesforce campaign or list view, a Pipedrive filter',
  ),
);
const clientId = name(255).nullable().meta(flagged('--client-id <id>', "the sequencer's id of the client it is for"));
const instanceUrl = url.nullable().meta(flagged('--instance-url <url>', "the customer's instance, for EmailBison"));
/** In clear text; stored encrypted. */
const sequencerToken = secret.meta(
  flagged('--token-file <file>', "read the sequencer's API key from this file", {
    secret: 'sequencer token',
    unless: 'sequencerKeyId',
  }),
);
/** In place of a token. */
const sequencerKeyId = id.meta(flagged('--key <id>', 'use this key of svc-server sequencer-keys list'));

const suppresses = z
  .array(
    name(255).refine(isSuppressedKind, 'must be bounces, opt-outs or category:NAME, such as category:"Not interested"'),
  )
  .max(50, 'must be at most 50')
  .meta(
    flagged(
      '--suppress <kinds>',
      'also block contacts of these events of the account: bounces, opt-outs, category:NAME; separated by commas',
      { parse: parseNames },
    ),
  );
const every = z
  .string('must be text')
  .refine((text) => {
    const minutes = (parseDuration(text) ?? 0) / 60_000;
    return minutes >= ROUND_MINUTES_MIN && minutes <= ROUND_MINUTES_MAX && Number.isInteger(minutes);
  }, 'must be a duration of 15m to 7d in whole minutes, such as 6h')
  .meta(flagged('--every <duration>', 'how often the CRM list is read: 15m to 7d (default: 1d)'));

const removes = z
  .boolean()
  .meta(
    flagged('--remove <on|off>', 'whether entries that leave the CRM list are removed at the sequencer (default: off)'),
  );

/** A block list as operators see it. */
export interface AdminBlocklist extends Blocklist {
  /** The kinds of events whose contacts it gets. */
  suppresses: string[];
  /** Contacts of such events. */
  suppressions: {
    pushed: number;
    waiting: number;
    refused: number;
    /** Why they wait; null when none do, or when they were not tried yet. */
    error: string | null;
  };
  /** Whether entries that leave the CRM list are removed at the sequencer. */
  removes: boolean;
  /** Such entries. */
  removals: {
    removed: number;
    waiting: number;
    refused: number;
    /** Why they wait, or why none was removed; null when nothing stopped them. */
    error: string | null;
  };
  /** Minutes from the end of a round to the next one. */
  everyMinutes: number;
}

export const addBlocklist = declare({
  name: 'blocklists/add',
  description: "add a block list; without --key, the sequencer's API key is read from stdin or a prompt",
  details:
    'For a platform [whose list can be filled](../../docs/sequencers/block-lists.md); the first fetch begins when the list can be read.',
  example: '--connection 1 --name "Do not contact" --crm-list-id 88 --platform smartlead --type ADDRESS < key.txt',
  permission: 'write',
  input: z.strictObject({
    connectionId: id.meta(flagged('--connection <id>', 'the connection whose CRM has the list')),
    listName,
    /** Without one a resync is not possible. */
    crmListId: crmListId.nullable().default(null),
    platform: platform.meta(flagged('--platform <platform>', 'the sequencer')),
    blockType: z
      .enum(BLOCK_TYPES, `must be one of ${BLOCK_TYPES.join(', ')}`)
      .meta(flagged('--type <type>', 'what it blocks')),
    clientId: clientId.default(null),
    instanceUrl: instanceUrl.default(null),
    sequencerKeyId: sequencerKeyId.optional(),
    sequencerToken: sequencerToken.optional(),
    suppresses: suppresses.default([]),
    every: every.optional(),
    removes: removes.default(false),
  }),
  result: { blocklist: one<AdminBlocklist>(), notices },
  print: ({ blocklist }) =>
    `Block list ${blocklist.id} "${blocklist.listName}" (${blocklist.blockType}, ${blocklist.platform}) is added to connection ${blocklist.connectionId}.`,
});

export const updateBlocklist = declare({
  name: 'blocklists/update',
  description: 'change the given settings of a block list; a new CRM list, client or instance begins a resync',
  example: '1 --name "Do not contact" --crm-list-id 88',
  permission: 'write',
  input: z.strictObject({
    id: oneOf('block list', 'blocklists'),
    listName: listName.optional(),
    crmListId: crmListId.optional(),
    clientId: clientId.meta({ none: 'remove the client' }).optional(),
    instanceUrl: instanceUrl.meta({ none: 'use the instance of its key, or of SVC_EMAILBISON_URL' }).optional(),
    sequencerKeyId: sequencerKeyId.optional(),
    suppresses: suppresses.meta({ none: 'block only what the CRM list has' }).optional(),
    every: every.optional(),
    removes: removes.optional(),
  }),
  result: { blocklist: one<AdminBlocklist>(), notices },
  print: ({ blocklist }) => `Block list ${blocklist.id} "${blocklist.listName}" is changed.`,
});

export const setBlocklistToken = declare({
  name: 'blocklists/set-token',
  description: 'give a list an API key of its own; it is read from stdin or a prompt',
  example: '--blocklist 1 < key.txt',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({
    blocklistId: id.meta(flagged('--blocklist <id>', 'the block list')),
    sequencerToken,
  }),
  result: { blocklist: one<AdminBlocklist>() },
  print: ({ blocklist }) =>
    `Block list ${blocklist.id} "${blocklist.listName}" has a new API key of ${blocklist.platform}. What waits is sent with it now.`,
});

export const removeBlocklist = declareRemoval(
  'blocklist',
  'remove a block list and its entries; entries at the sequencer stay',
);

export const listBlocklists = declare({
  name: 'blocklists/list',
  description: 'list block lists',
  example: '--connection 1',
  permission: 'read',
  input: listFilter,
  result: { blocklists: list<AdminBlocklist>() },
  print: ({ blocklists: rows }) =>
    renderTable(
      rows.map((row) => ({
        ...row,
        suppressing: row.suppresses.join(', '),
        suppressed: describeCounts(row.suppressions.pushed, row.suppressions),
        removed: row.removes || row.removals.removed > 0 ? describeCounts(row.removals.removed, row.removals) : 'off',
      })),
      {
        ID: 'id',
        CONNECTION: 'connectionId',
        NAME: 'listName',
        PLATFORM: 'platform',
        TYPE: 'blockType',
        STATUS: 'status',
        ENABLED: 'isEnabled',
        SYNCED: 'syncedCount',
        PENDING: 'pendingCount',
        SUPPRESSES: 'suppressing',
        SUPPRESSED: 'suppressed',
        REMOVED: 'removed',
        'LAST ERROR': 'lastError',
      },
      'There are no block lists yet: add one with svc-server blocklists add.',
    ),
});

function describeCounts(
  done: number,
  { waiting, refused, error }: Omit<AdminBlocklist['removals'], 'removed'>,
): string {
  const parts = [
    String(done),
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
    ...(refused === 0 ? [] : [`${refused} refused`]),
    ...(error === null ? [] : [error]),
  ];
  return parts.join(', ');
}

export const blocklists = noun('blocklists', "sequencers' block lists that are filled from CRM lists", [
  addBlocklist,
  updateBlocklist,
  setBlocklistToken,
  removeBlocklist,
  listBlocklists,
]);
