/** Sends a batch of entries to the sequencer of a block list, and finds out which entries it refuses. */
import { ERROR_MESSAGES } from '@svc/contract/error-messages';
import {
  type BlocklistConnector,
  type BlocklistOutcome,
  findBlocklistProblem,
  type RemovalOutcome,
} from '@svc/sequencers/blocklists';
import type { Context } from '../context.ts';
import { openSecret, RESTORE_KEY } from '../secrets/open-secret.ts';
import type { SecretPlace } from '../secrets/secret-box.ts';
import type { BlocklistWork, SequencerAccess } from '../store/blocklists.ts';
import type { Refusal } from './blocklist-jobs.ts';

/** After this many single refusals in a row, half from either end of the list, the entries are not the cause. */
export const REFUSED_IN_A_ROW_MAX = 10;

export interface Batch {
  list: BlocklistWork;
  values: string[];
  /** Most entries of one batch. */
  batchMax: number;
}

/** The entries of a batch whose fate is known. */
export type Answered = Pick<BlocklistOutcome, 'added' | 'refused'>;

/** Returns what is known of refused entries after another answer. */
export function nextRefusal(
  before: Refusal | null,
  { values, batchMax }: Batch,
  { added, failure }: BlocklistOutcome,
  now: Date,
): Refusal | null {
  const sinceAdded = added.length === 0 ? before : afterAdded(before, added.length, batchMax);
  if (failure?.suspects === undefined) return sinceAdded;
  const { length } = failure.suspects;
  return {
    // A platform that takes entries one by one shows which it refused; otherwise half of them show more.
    entriesMax: length < values.length ? (sinceAdded?.entriesMax ?? batchMax) : Math.max(1, Math.floor(length / 2)),
    count: (sinceAdded?.count ?? 0) + (length === 1 ? 1 : 0),
    sinceMs: sinceAdded !== null && sinceAdded.count > 0 ? sinceAdded.sinceMs : now.getTime(),
    message: failure.message,
  };
}

function afterAdded(before: Refusal | null, addedCount: number, batchMax: number): Refusal | null {
  const entriesMax = addedCount * 2;
  return before === null || entriesMax >= batchMax ? null : { ...before, entriesMax, count: 0 };
}

/** Returns which of the waiting entries the next call has: bad entries cluster, so calls alternate between both ends while isolating them. */
export function nextRange(refusal: Refusal | null, batchMax: number): { limit: number; from: 'start' | 'end' } {
  const { entriesMax = batchMax, count = 0 } = refusal ?? {};
  return { limit: Math.min(batchMax, entriesMax), from: count % 2 === 1 ? 'end' : 'start' };
}

/** Returns why nothing may be sent about a list now, or null. @param paused what to say of a paused one */
export function findObstacle({ state, connection }: BlocklistWork, paused: string): string | null {
  if (!connection.canBlockList) return ERROR_MESSAGES.blocklistsNotEnabled;
  return state.isEnabled ? null : paused;
}

/** Whether a list has become another one at the sequencer since then. */
export function hasMoved(before: BlocklistWork, { clientId, instanceUrl }: BlocklistWork): boolean {
  return before.clientId !== clientId || before.instanceUrl !== instanceUrl;
}

/** Never rejects because of the sequencer; its failures are outcomes. */
export async function sendBatch(ctx: Context, { list, values }: Batch): Promise<BlocklistOutcome> {
  const open = await openSequencer(ctx, list);
  if ('message' in open) return { added: [], refused: [], failure: { ...open, retry: 'never' } };
  return open.connector.addEntries({ ...open.of, values });
}

/** Removes entries. Never rejects because of the sequencer. */
export async function sendRemoval(ctx: Context, { list, values }: Omit<Batch, 'batchMax'>): Promise<RemovalOutcome> {
  const open = await openSequencer(ctx, list);
  if ('message' in open) return { removed: [], refused: [], failure: { ...open, retry: 'never' } };
  return open.connector.removeEntries({ ...open.of, values });
}

interface OpenSequencer {
  connector: BlocklistConnector;
  of: Omit<Parameters<BlocklistConnector['addEntries']>[0], 'values'>;
}

/** Returns what calls about a list need, or why none can be made. */
async function openSequencer(ctx: Context, list: BlocklistWork): Promise<OpenSequencer | { message: string }> {
  const { platform, clientId, instanceUrl, blockType, sequencerKeyId, sealedSequencerToken } = list;
  const storeKey = sequencerKeyId === null ? 'blocklists set-token' : `sequencer-keys set-token ${sequencerKeyId}`;
  const problem = findBlocklistProblem(platform);
  const connector = ctx.blocklistConnector(platform);
  if (problem !== null || connector === undefined) {
    return { message: problem ?? `there is no connector for ${platform}` };
  }
  if (sealedSequencerToken === null) {
    return { message: `the list has no API key of ${platform}: store one (svc-server ${storeKey})` };
  }
  const token = openListToken(ctx, { ...list, sealedSequencerToken });
  if (token !== null) return { connector, of: { token, clientId, instanceUrl, blockType } };
  await ctx.assertKeys();
  const message = `the list's API key of ${platform} cannot be decrypted: ${RESTORE_KEY}, or store the API key again (svc-server ${storeKey})`;
  return { message };
}

/** Returns the API key of a list; null when it cannot be decrypted. */
export function openListToken(
  ctx: Context,
  { id, sequencerKeyId, sealedSequencerToken }: SequencerAccess & { sealedSequencerToken: string },
): string | null {
  const place: SecretPlace =
    sequencerKeyId === null ? { kind: 'sequencer token', id } : { kind: 'sequencer key', id: sequencerKeyId };
  return openSecret(ctx, sealedSequencerToken, place);
}
