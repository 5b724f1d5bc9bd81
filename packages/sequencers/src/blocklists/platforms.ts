import type { Platform } from '@svc/contract/vocabulary';

/** The platforms that document calls which add addresses and domains to a block list: these lists can be filled. */
const BLOCKLISTS = {
  smartlead: { hasInstances: false },
  instantly: { hasInstances: false },
  /** Each customer has an instance with its own address. */
  emailbison: { hasInstances: true },
  lemlist: { hasInstances: false },
  'reply-io': { hasInstances: false },
} as const satisfies Partial<Record<Platform, { hasInstances: boolean }>>;

export type BlocklistPlatformName = keyof typeof BLOCKLISTS;

const byName: ReadonlyMap<string, { readonly hasInstances: boolean }> = new Map(Object.entries(BLOCKLISTS));

/** Returns why a platform's block list cannot be filled, and which platforms' lists can be; null when it can. */
export function findBlocklistProblem(platform: string): string | null {
  if (byName.has(platform)) return null;
  return `the block list of ${platform} cannot be filled, because no call for it is documented; those of ${[...byName.keys()].join(', ')} can`;
}

/** Whether each customer of a platform has an instance with its own address. */
export function hasInstances(platform: string): boolean {
  return byName.get(platform)?.hasInstances ?? false;
}
