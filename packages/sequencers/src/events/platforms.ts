import type { Platform } from '@svc/contract/vocabulary';
import type { SourceSecret } from '@svc/domain/syncs/source-secret';
import { parseEmailbison } from './emailbison.ts';
import { parseHeyreach } from './heyreach.ts';
import { parseInstantly } from './instantly.ts';
import { parseLemlist } from './lemlist.ts';
import { parseOutreach } from './outreach.ts';
import { parseReplyIo } from './reply-io.ts';
import { parseSalesloft } from './salesloft.ts';
import { parseSmartlead } from './smartlead.ts';
import type { SequencerAdapter } from './types.ts';

/** How much of a platform an adapter reads: every event that is documented, or only some because the others are not. */
export type AdapterCoverage = 'full' | 'partial';

export interface SequencerPlatform {
  /** As the vendor writes it. */
  readonly name: string;
  readonly parse: SequencerAdapter;
  readonly coverage: AdapterCoverage;
  /**
   * What a post carries to prove its origin, by the platform's documentation or by integrations that verify it. Null: nothing is known,
   * and operators choose a header.
   */
  readonly check: Omit<SourceSecret, 'secret'> | null;
}

/** The sequencers whose events are read: one row for each platform of the contract. */
export const SEQUENCERS: Readonly<Record<Platform, SequencerPlatform>> = {
  smartlead: {
    name: 'Smartlead',
    parse: parseSmartlead,
    coverage: 'full',
    check: { check: 'hmac-sha256', name: 'x-smartlead-signature' },
  },
  instantly: { name: 'Instantly', parse: parseInstantly, coverage: 'full', check: null },
  emailbison: { name: 'EmailBison', parse: parseEmailbison, coverage: 'full', check: null },
  lemlist: { name: 'lemlist', parse: parseLemlist, coverage: 'full', check: { check: 'body', name: 'secret' } },
  heyreach: { name: 'HeyReach', parse: parseHeyreach, coverage: 'partial', check: null },
  'reply-io': { name: 'Reply.io', parse: parseReplyIo, coverage: 'partial', check: null },
  salesloft: {
    name: 'Salesloft',
    parse: parseSalesloft,
    coverage: 'partial',
    check: { check: 'hmac-sha1', name: 'x-salesloft-signature' },
  },
  outreach: { name: 'Outreach', parse: parseOutreach, coverage: 'partial', check: null },
};

/** Returns the row of a platform; null when this release has no adapter for it. */
export function findSequencer(platform: string): SequencerPlatform | null {
  return byPlatform.get(platform) ?? null;
}

const byPlatform: ReadonlyMap<string, SequencerPlatform> = new Map(Object.entries(SEQUENCERS));
