export { documentedCheck } from './documented-checks.ts';
export { type Authenticity, type ReceivedPost, verifyPost } from './verify-post.ts';
