/** A table of thousands of rows, of which only the visible ones are in the page. Import it lazily. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { classes } from './classes.ts';
import styles from './table.module.css';
import { TableHead, type TableProps, TableRow } from './table.tsx';

const ROW_PX = 35;

export function VirtualTable<Row>({ label, columns, rows, keyOf, empty }: TableProps<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  if (rows.length === 0) return <>{empty}</>;
  const visible = virtual.getVirtualItems();
  const before = visible[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (visible.at(-1)?.end ?? 0);
  return (
    <div
      ref={frame}
      className={classes(styles['frame'], styles['scroll'])}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <table className={styles['table']} aria-label={label} aria-rowcount={rows.length + 1}>
        <TableHead columns={columns} />
        <tbody>
          {before > 0 && <Gap height={before} columns={columns.length} />}
          {visible.map(({ index }) => {
            const row = rows[index];
            return row === undefined ? null : <TableRow key={keyOf(row)} row={row} columns={columns} />;
          })}
          {after > 0 && <Gap height={after} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );
}
