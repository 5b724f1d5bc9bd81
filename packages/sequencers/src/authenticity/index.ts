import type { SourceSecret } from '@svc/domain/syncs/source-secret';
import { findSequencer } from '../events/platforms.ts';
import { READY_CHECKS } from '../mappings/files.ts';

export type { Authenticity, ReceivedPost } from './received-post.ts';
export { verifyPost } from './verify-post.ts';
export { newStandardSecret, toStandardKey } from './verify-timed.ts';

/** Returns how posts of a platform prove where they come from; null when no way is documented. */
export function documentedCheck(platform: string): Omit<SourceSecret, 'secret'> | null {
  return (
    findSequencer(platform)?.check ?? (Object.hasOwn(READY_CHECKS, platform) ? READY_CHECKS[platform] : null) ?? null
  );
}
