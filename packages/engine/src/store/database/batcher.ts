/**
 * Batching of database work: items that arrive while a statement runs are handled together by the next one. Nothing
 * waits for a batch to fill, so a single item is as fast as without batching.
 */
import { activeSpan, type OpenSpan, runInSpan } from '../../runtime/tracing.ts';
import { DatabaseUnavailableError } from './db.ts';

export interface BatcherOptions<Item, Result> {
  /** Handles a batch in one statement or transaction; returns one result per item, in order. Must change all or nothing. */
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Most items of one batch. Default 200. */
  itemsMax?: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
  /** The span that waits for it. */
  span: OpenSpan | undefined;
}

/**
 * Returns a function that handles one item as part of a batch. Batches run one after another, and their items keep the
 * order of the calls. When a batch fails, its items are handled alone, so that one bad item does not fail the others.
 */
export function createBatcher<Item, Result>({
  run,
  itemsMax = 200,
}: BatcherOptions<Item, Result>): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let isRunning = false;

  async function runWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, itemsMax);
      waiting = waiting.slice(itemsMax);
      await runBatch(batch);
    }
    isRunning = false;
  }

  async function runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      // The work is in one trace only, although others wait for it too.
      const span = batch.find((entry) => entry.span !== undefined)?.span;
      const results = await runInSpan(span, () => run(batch.map(({ item }) => item)));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      // Without the database, each item would only wait for it again.
      if (batch.length === 1 || error instanceof DatabaseUnavailableError)
        for (const { reject } of batch) reject(error);
      else for (const entry of batch) await runBatch([entry]);
    }
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject, span: activeSpan() });
      if (isRunning) return;
      isRunning = true;
      // The rest of this turn of the event loop may add items.
      setImmediate(() => void runWaiting());
    });
}
