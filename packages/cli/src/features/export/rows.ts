import type { Page, ResumePoint } from '@svc/sdk';
import type { RowEncoder } from '../../format/row-encoder.ts';
import type { RowSink } from './row-sink.ts';

/** Where the pages of an export go. */
export interface ExportSink<Row> {
  /** Rows are seen where they are written: nothing else is drawn there. */
  readonly isTerminal: boolean;
  /** Whether another process could go on behind the last page that was written. */
  isResumable(): boolean;
  /** @param resume where the list goes on behind this page; null at the end */
  writePage(rows: readonly Row[], resume: ResumePoint | null): Promise<void>;
  /** All pages are written. */
  finish(): Promise<void>;
  /** It ends before. */
  abandon(): Promise<void>;
}

export interface ExportInput<Row> {
  readonly pages: AsyncIterable<Pick<Page<Row>, 'data' | 'resume'>>;
  readonly sink: ExportSink<Row>;
  /** After each page that is written. */
  readonly onPage?: (rows: readonly Row[]) => void;
  /** After the last page, before the sink is finished. */
  readonly onFetched?: () => void;
}

/**
 * Every row of a list into a sink, a page at a time: memory does not grow with the export.
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

/** An export to where nothing can be taken back. */
export function createStreamSink(sink: RowSink, encoder: RowEncoder): ExportSink<unknown> {
  let isBegun = false;
  return {
    isTerminal: sink.isTerminal,
    isResumable: () => false,
    async writePage(rows) {
      // Not before the first page is there: a refused request must leave stdout empty.
      const begin = isBegun ? '' : encoder.begin();
      isBegun = true;
      await sink.write(begin + encoder.encode(rows));
    },
    async finish() {
      await sink.write(encoder.end());
      await sink.commit();
    },
    abandon: () => sink.discard(),
  };
}
