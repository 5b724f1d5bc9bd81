import type { Platform } from '@svc/contract/vocabulary';
import type { SourceSecret } from '@svc/domain/syncs/source-secret';

/** What a platform sends by its documentation, or by integrations that verify it. The others send headers of one's own, or nothing. */
const DOCUMENTED: ReadonlyMap<string, Omit<SourceSecret, 'secret'>> = new Map<Platform, Omit<SourceSecret, 'secret'>>([
  ['smartlead', { check: 'hmac-sha256', name: 'x-smartlead-signature' }],
  ['salesloft', { check: 'hmac-sha1', name: 'x-salesloft-signature' }],
  ['lemlist', { check: 'body', name: 'secret' }],
]);

/** Returns how posts of a platform prove where they come from; null when no way is documented. */
export function documentedCheck(platform: string): Omit<SourceSecret, 'secret'> | null {
  return DOCUMENTED.get(platform) ?? null;
}
