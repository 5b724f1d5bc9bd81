/** The rows of a log, with boxes to choose some of them. */
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Empty, Loaded, Notice } from '../../parts/page.tsx';
import { type Column, More, Table } from '../../parts/table.tsx';
import type { Log } from './use-log.ts';

interface Selection<Row extends { id: number | string }> {
  readonly ids: ReadonlySet<Row['id']>;
  onChange(ids: ReadonlySet<Row['id']>): void;
  canChoose(row: Row): boolean;
}

export function LogTable<Row extends { id: number | string }>({
  label,
  log,
  columns,
  empty,
  selection,
}: {
  label: string;
  log: Log<Row>;
  columns: readonly Column<Row>[];
  empty: ReactNode;
  selection?: Selection<Row> | undefined;
}) {
  const choice: readonly Column<Row>[] =
    selection === undefined
      ? []
      : [
          {
            header: <span className="visually-hidden">Choose</span>,
            cell: (row) =>
              selection.canChoose(row) && (
                <input
                  type="checkbox"
                  aria-label={`Choose ${row.id}`}
                  checked={selection.ids.has(row.id)}
                  onChange={({ target: { checked } }) => {
                    const ids = new Set<Row['id']>(selection.ids);
                    if (checked) ids.add(row.id);
                    else ids.delete(row.id);
                    log.keep();
                    selection.onChange(ids);
                  }}
                />
              ),
          },
        ];
  return (
    <Loaded query={log.first}>
      {() => (
        <>
          {log.hasNewer && (
            <Notice
              action={
                <Button isSmall onClick={log.follow}>
                  Show them
                </Button>
              }
            >
              There are newer rows.
            </Notice>
          )}
          <Table
            label={label}
            rows={log.rows}
            keyOf={(row) => row.id}
            empty={<Empty>{empty}</Empty>}
            columns={[...choice, ...columns]}
          />
          {log.olderError !== null && <Notice tone="bad">{log.olderError.message}</Notice>}
          <More count={log.rows.length} hasMore={log.hasMore} isBusy={log.isBusy} onMore={log.showMore} />
          {log.isFull && <Notice>A page shows no more rows. Filters show the others.</Notice>}
        </>
      )}
    </Loaded>
  );
}
