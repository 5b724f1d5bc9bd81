/**
 * The contract's `DestinationResource`.
 *
 * The rule: a destination shows the union of its bindings: the event types and sources of all bindings, and `isDelayed`
 * when one binding is delayed.
 */
import type { Destination } from '@svc/contract/types';
import { sortedUnique } from '../values/order.ts';

export interface DestinationRow {
  readonly id: number;
  readonly url: string;
  readonly description: string;
  readonly connectionId: number;
  readonly bindings: readonly {
    readonly sourceId: number;
    readonly eventTypes: readonly string[];
    readonly isDelayed: boolean;
  }[];
  readonly createdAt: Date;
}

export function toDestination(row: DestinationRow): Destination {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    connectionId: row.connectionId,
    eventTypes: sortedUnique(row.bindings.flatMap(({ eventTypes }) => eventTypes)),
    isDelayed: row.bindings.some(({ isDelayed }) => isDelayed),
    sourceIds: sortedUnique(row.bindings.map(({ sourceId }) => sourceId)),
    createdAt: row.createdAt.toISOString(),
  };
}
