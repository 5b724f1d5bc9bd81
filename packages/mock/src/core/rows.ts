/** Look-ups in the arrays of a world. An index is made on first use and lives as long as the array, which never changes. */
import type { AccountRow, ConnectionRow, DestinationRow, SourceRow } from '@svc/domain/world';
import { remember } from './remember.ts';

export const accountsById = remember(indexById<AccountRow>);
export const connectionsById = remember(indexById<ConnectionRow>);
export const sourcesById = remember(indexById<SourceRow>);
export const destinationsById = remember(indexById<DestinationRow>);

function indexById<Row extends { readonly id: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}
