/** World files: the data that a server or a mock starts with. Format: `fixtures/README.md`. */
export type { Instant } from './fields.ts';
export { formatRelativeTime, isInstant, parseRelativeTime, resolveInstant } from './instant.ts';
export { REQUEST_OUTCOMES, type RequestOutcome } from './log-schemas.ts';
export { materializeWorld } from './materialize.ts';
export { findRowProblems } from './integrity.ts';
export type { CheckedWorld, WorldIndex, WorldProblem } from './integrity-references.ts';
export { parseWorld, WorldError } from './parse.ts';
export * from './schema.ts';
