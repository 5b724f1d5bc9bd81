/**
 * Specification, "Forwarding destination (`DestinationResource`)".
 *
 * The rule: what a destination shows of its bindings is their union. It gets every event type that any source sends it,
 * it is delayed when one binding is, and it names each source once. Not bound, it has none of these.
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
