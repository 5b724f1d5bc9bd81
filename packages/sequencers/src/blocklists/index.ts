import type { Platform } from '@svc/contract/vocabulary';
import { createInstantlyBlocklist } from './instantly.ts';
import type { SequencerCallOptions } from './sequencer-call.ts';
import { createSmartleadBlocklist } from './smartlead.ts';
import type { BlocklistConnector } from './types.ts';

export type { BlocklistConnector, BlocklistFailed, BlocklistOutcome } from './types.ts';

export interface BlocklistConnectorsOptions extends Omit<SequencerCallOptions, 'baseUrl'> {
  smartleadUrl: string;
  instantlyUrl: string;
}

/** Creates one connector per platform whose block list can be pushed to. */
export function createBlocklistConnectors(
  options: BlocklistConnectorsOptions,
): ReadonlyMap<string, BlocklistConnector> {
  const { smartleadUrl, instantlyUrl, ...shared } = options;
  return new Map<Platform, BlocklistConnector>([
    ['smartlead', createSmartleadBlocklist({ ...shared, baseUrl: smartleadUrl })],
    ['instantly', createInstantlyBlocklist({ ...shared, baseUrl: instantlyUrl })],
  ]);
}
