/**
 * The contract of the public API v1. The zod schemas are an entry of their own (`@svc/contract/schemas`), and so
 * is the document itself (`@svc/contract/document`), so that whoever needs neither does not carry them.
 */
export * from './error-messages.ts';
export * from './limits.ts';
export * from './operations.ts';
// The table and the open status win over the generated type and the closed list of the same names.
export { operations } from './operations.ts';
export type * from './types.ts';
export type { ComponentStatus } from './types.ts';
export * from './vocabulary.ts';
