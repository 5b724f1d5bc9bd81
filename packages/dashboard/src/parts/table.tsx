import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './table.module.css';

export interface Column<Row> {
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** `number`: to the right. `wide`: takes the room that is left, and breaks lines. */
  readonly align?: 'number' | 'wide';
}

export interface TableProps<Row> {
  /** What the table lists, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  /** What is shown without rows. */
  empty: ReactNode;
}

export function Table<Row>({ label, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <>{empty}</>;
  return (
    // A table that is wider than the page is scrolled with the keyboard too.
    <div className={styles['frame']} tabIndex={0} role="region" aria-label={label}>
      <table className={styles['table']} aria-label={label}>
        <TableHead columns={columns} />
        <tbody>
          {rows.map((row) => (
            <TableRow key={keyOf(row)} row={row} columns={columns} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TableHead<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ header, align }, index) => (
          <th key={index} scope="col" className={classes(align === 'number' && styles['number'])}>
            {header}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function TableRow<Row>({ row, columns }: { row: Row; columns: readonly Column<Row>[] }) {
  return (
    <tr>
      {columns.map(({ cell, align }, index) => (
        <td key={index} className={classes(align !== undefined && styles[align])}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** The end of a list that has more: how much is shown, and the button for more. */
export function More({
  count,
  hasMore,
  isBusy,
  onMore,
}: {
  count: number;
  hasMore: boolean;
  isBusy: boolean;
  onMore: () => void;
}) {
  return (
    <div className={styles['more']}>
      <span>{count.toLocaleString('en')} shown</span>
      {hasMore && (
        <Button isSmall isBusy={isBusy} onClick={onMore}>
          Show more
        </Button>
      )}
    </div>
  );
}
