import { createEmailbisonBlocklist } from './emailbison.ts';
import { createInstantlyBlocklist } from './instantly.ts';
import { createLemlistBlocklist } from './lemlist.ts';
import type { BlocklistPlatformName } from './platforms.ts';
import { createReplyIoBlocklist } from './reply-io.ts';
import type { SequencerCallOptions } from './sequencer-call.ts';
import { createSmartleadBlocklist } from './smartlead.ts';
import type { BlocklistConnector } from './types.ts';

export { findBlocklistProblem, hasInstances } from './platforms.ts';
export type { BlocklistConnector, BlocklistFailure, BlocklistOutcome, RemovalOutcome } from './types.ts';

/** The API of each platform. EmailBison's is undefined when every list has to name its instance. */
export type SequencerUrls = Readonly<
  Record<Exclude<BlocklistPlatformName, 'emailbison'>, string> & { emailbison: string | undefined }
>;

export interface BlocklistConnectorsOptions extends Omit<SequencerCallOptions, 'baseUrl'> {
  /** No slash at the end. */
  baseUrls: SequencerUrls;
  /** For addresses that customers choose: calls public addresses only. */
  guardedFetch: typeof globalThis.fetch;
}

/** Creates one connector per platform whose block list can be filled. */
export function createBlocklistConnectors(
  options: BlocklistConnectorsOptions,
): ReadonlyMap<string, BlocklistConnector> {
  const { baseUrls, guardedFetch, ...shared } = options;
  const connectors: Record<BlocklistPlatformName, BlocklistConnector> = {
    smartlead: createSmartleadBlocklist({ ...shared, baseUrl: baseUrls.smartlead }),
    instantly: createInstantlyBlocklist({ ...shared, baseUrl: baseUrls.instantly }),
    emailbison: createEmailbisonBlocklist({ ...shared, guardedFetch, baseUrl: baseUrls.emailbison }),
    lemlist: createLemlistBlocklist({ ...shared, baseUrl: baseUrls.lemlist }),
    'reply-io': createReplyIoBlocklist({ ...shared, baseUrl: baseUrls['reply-io'] }),
  };
  return new Map(Object.entries(connectors));
}
