import { BLOCK_TYPES, type BlockType, type Platform } from '@svc/contract/vocabulary';

interface BlocklistPlatform {
  readonly blockTypes: readonly BlockType[];
  /** Each customer has an instance with its own address. */
  readonly hasInstances: boolean;
}

/** The block lists that can be filled: those for which a call that adds entries is documented. */
const BLOCKLISTS = {
  smartlead: { blockTypes: BLOCK_TYPES, hasInstances: false },
  instantly: { blockTypes: BLOCK_TYPES, hasInstances: false },
  emailbison: { blockTypes: BLOCK_TYPES, hasInstances: true },
  lemlist: { blockTypes: BLOCK_TYPES, hasInstances: false },
  'reply-io': { blockTypes: BLOCK_TYPES, hasInstances: false },
} as const satisfies Partial<Record<Platform, BlocklistPlatform>>;

export type BlocklistPlatformName = keyof typeof BLOCKLISTS;

const byName: ReadonlyMap<string, BlocklistPlatform> = new Map(Object.entries(BLOCKLISTS));

/** Returns why a platform's block list cannot be filled with such entries, and what can; null when it can. */
export function findBlocklistProblem(platform: string, blockType: BlockType): string | null {
  const known = byName.get(platform);
  if (known === undefined) {
    return `the block list of ${platform} cannot be filled, because no call for it is documented; those of ${[...byName.keys()].join(', ')} can`;
  }
  if (known.blockTypes.includes(blockType)) return null;
  return `the block list of ${platform} cannot be filled with entries of type ${blockType}, because no call for them is documented; use ${known.blockTypes.join(' or ')}`;
}

/** Whether each customer of a platform has an instance with its own address. */
export function hasInstances(platform: string): boolean {
  return byName.get(platform)?.hasInstances ?? false;
}
