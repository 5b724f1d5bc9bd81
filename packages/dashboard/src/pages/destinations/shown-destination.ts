import type { AdminResult } from '../../data/operations.ts';

/** A destination as the pages read it, with what it is bound to. */
export type ShownDestination = AdminResult<'destinations/list'>['destinations'][number];
export type Binding = ShownDestination['bindings'][number];
