/** Indexes of a world's rows by id, built on first use and cached by array. */
import type { AccountRow, ConnectionRow, DestinationRow, SourceRow } from '@svc/domain/world';
import { memoize } from './memoize.ts';

export const accountsById = memoize(indexById<AccountRow>);
export const connectionsById = memoize(indexById<ConnectionRow>);
export const sourcesById = memoize(indexById<SourceRow>);
export const destinationsById = memoize(indexById<DestinationRow>);

function indexById<Row extends { readonly id: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
