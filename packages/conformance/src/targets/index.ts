import { serverOnPglite, serverOnPostgres } from './server.ts';
import type { Target } from './target.ts';

/** Whatever is proven on one is proven on all. */
export const targets: readonly Target[] = [serverOnPglite, serverOnPostgres];
