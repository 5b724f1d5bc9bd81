import type { SourceSecret } from '@svc/domain/syncs/source-secret';
import { findSequencer } from '../events/platforms.ts';

export { type Authenticity, type ReceivedPost, verifyPost } from './verify-post.ts';

/** Returns how posts of a platform prove where they come from; null when no way is documented. */
export function documentedCheck(platform: string): Omit<SourceSecret, 'secret'> | null {
  return findSequencer(platform)?.check ?? null;
}
