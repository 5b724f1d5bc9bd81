import type { Page, ResumePoint } from '@svc/sdk';
import type { RowEncoder } from '../output/row-encoder.ts';
import type { RowSink } from './row-sink.ts';

export interface ExportProgress {
  readonly rows: number;
  readonly pages: number;
  /** Where to go on behind what is flushed; `null` at the end. */
  readonly resume: ResumePoint | null;
}

export interface ExportInput<Row> {
  readonly pages: AsyncIterable<Page<Row>>;
  readonly encoder: RowEncoder;
  readonly sink: RowSink;
  /** After each page that is written: the place for a checkpoint. */
  readonly onPage?: (progress: ExportProgress) => void;
}

/**
 * Every row of a list into a sink, a page at a time: memory does not grow with the export. The sink is complete
 * or discarded when this ends.
 */
export async function exportRows<Row>({ pages, encoder, sink, onPage }: ExportInput<Row>): Promise<ExportProgress> {
  let progress: ExportProgress = { rows: 0, pages: 0, resume: null };
  try {
    for await (const { data, resume } of pages) {
      // Not before the first page is there: a refused request must leave stdout empty.
      const begin = progress.pages === 0 ? encoder.begin() : '';
      await sink.write(begin + encoder.encode(data));
      progress = { rows: progress.rows + data.length, pages: progress.pages + 1, resume };
      onPage?.(progress);
    }
    await sink.write(encoder.end());
    await sink.commit();
  } catch (error) {
    await sink.discard();
    throw error;
  }
  return progress;
}
