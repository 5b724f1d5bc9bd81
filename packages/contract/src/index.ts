/**
 * The contract of the public API v1. The zod schemas (`@svc/contract/schemas`) and the document (`@svc/contract/document`) are
 * separate entries, so that bundles without them stay small.
 */
export * from './error-messages.ts';
export * from './limits.ts';
export * from './operations.ts';
// Where names collide, the table and the open status are exported, not the generated type and the closed list.
export { operations } from './operations.ts';
export type * from './types.ts';
export type { ComponentStatus } from './types.ts';
export * from './vocabulary.ts';
