import type { Page, ResumePoint } from '@svc/sdk';
import type { RowEncoder } from '../../format/row-encoder.ts';
import type { RowSink } from './row-sink.ts';

/** A destination of the pages of an export. */
export interface ExportSink<Row> {
  /** Whether rows are written to a terminal, so that no progress may be drawn there. */
  readonly isTerminal: boolean;
  /** Whether the export could be resumed after the last written page. */
  isResumable(): boolean;
  /** @param resume the resume point after this page; null at the end */
  writePage(rows: readonly Row[], resume: ResumePoint | null): Promise<void>;
  /** Called after all pages. */
  finish(): Promise<void>;
  /** Called after a failure. */
  abandon(): Promise<void>;
}

export interface ExportInput<Row> {
  readonly pages: AsyncIterable<Pick<Page<Row>, 'data' | 'resume'>>;
  readonly sink: ExportSink<Row>;
  /** Called after each written page. */
  readonly onPage?: (rows: readonly Row[]) => void;
  /** Called after the last page, before the sink is finished. */
  readonly onFetched?: () => void;
}

/**
 * Writes all rows of a list to a sink, page by page.
 *
 * @returns the number of rows
 */
export async function exportRows<Row>({ pages, sink, onPage, onFetched }: ExportInput<Row>): Promise<number> {
  let rows = 0;
  try {
    for await (const { data, resume } of pages) {
      await sink.writePage(data, resume);
      rows += data.length;
      onPage?.(data);
    }
    onFetched?.();
    await sink.finish();
  } catch (error) {
    await sink.abandon();
    throw error;
  }
  return rows;
}

/** Returns a sink for stdout, a pipe or a device, which cannot be resumed. */
export function createStreamSink(sink: RowSink, encoder: RowEncoder): ExportSink<unknown> {
  let hasStarted = false;
  return {
    isTerminal: sink.isTerminal,
    isResumable: () => false,
    async writePage(rows) {
      // The header comes with the first page, so that a refused request leaves stdout empty.
      const begin = hasStarted ? '' : encoder.begin();
      hasStarted = true;
      await sink.write(begin + encoder.encode(rows));
    },
    async finish() {
      await sink.write(encoder.end());
      await sink.commit();
    },
    abandon: () => sink.discard(),
  };
}
