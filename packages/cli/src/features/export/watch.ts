import { renderExportProgress } from './progress.ts';
import { formatCount, showNotesWith, startProgress } from '../../terminal/progress.ts';
import { splitForCounting } from '../metrics/count-windows.ts';
import { createPace } from './pace.ts';
import { createWaits } from './waits.ts';
import { renderProgress } from '../../terminal/progress-bar.ts';
import type { TimeRange } from '../../command/time-range.ts';

/** Longer ranges are not counted, because each window costs a request. */
const COUNTED_WINDOWS_MAX = 24;

export interface WatchOptions {
  readonly rowsName: string;
  readonly range: TimeRange;
  /** Rows of the interrupted export. */
  readonly rowsBefore: number;
  /** Counts the rows of at most 31 days. */
  readonly count: (window: TimeRange, signal: AbortSignal) => Promise<number>;
  readonly stream: NodeJS.WriteStream;
}

export interface ExportWatch {
  onPage(rows: readonly { readonly createdAt: string }[]): void;
  /** Called after the last row with the remaining task. */
  onFetched(task: string): void;
  end(): void;
}

/** Shows the progress of an export in one line. */
export function watchExport({ rowsName, range, rowsBefore, count, stream }: WatchOptions): ExportWatch {
  const progress = startProgress(stream);
  const pace = createPace(Date.now());
  const waits = createWaits();
  const counting = new AbortController();
  const [fromMs, toMs] = [Date.parse(range.from), Date.parse(range.to)];
  let rows = rowsBefore;
  let total: number | null = null;
  let oldestMs = toMs;
  let lastTask: string | null = null;

  function render(): void {
    if (lastTask !== null) {
      const parts = [{ text: `${formatCount(rows)} ${rowsName}` }, { text: '100 %' }, { text: lastTask }];
      return progress.show((columns) => renderProgress(1, parts, columns));
    }
    const now = Date.now();
    const share = toMs > fromMs ? (toMs - oldestMs) / (toMs - fromMs) : 0;
    const rowsLeft = total === null ? estimateLeft(rows, share) : Math.max(0, total - rows);
    const leftMs = rowsLeft === null ? null : pace.timeLeft(rowsLeft, now);
    const view = { rowsName, rows, total, share, rowsPerSecond: pace.rate(now), leftMs, wait: waits.left(now) };
    progress.show((columns) => renderExportProgress(view, columns));
  }
  showNotesWith((wait) => {
    const now = Date.now();
    if (wait.isRateLimit) pace.wait(wait.waitMs, now);
    waits.add(wait, now);
    render();
  });
  // Updates the times while no rows arrive.
  const timer = setInterval(render, 1000).unref();
  const windows = splitForCounting(range);
  if (windows.length <= COUNTED_WINDOWS_MAX) {
    countAll(windows, (window) => count(window, counting.signal)).then(
      (sum) => {
        total = sum;
      },
      // The share of the range is shown instead.
      () => {},
    );
  }
  return {
    onPage(page) {
      rows += page.length;
      pace.add(page.length, Date.now());
      const last = page.at(-1);
      if (last !== undefined) oldestMs = Date.parse(last.createdAt);
      render();
    },
    onFetched(task) {
      lastTask = task;
      render();
    },
    end() {
      counting.abort();
      clearInterval(timer);
      showNotesWith(null);
      progress.end();
    },
  };
}

/** Estimates the remaining rows from the completed share of the range; null below 5 %. */
function estimateLeft(rows: number, share: number): number | null {
  return share >= 0.05 ? (rows / share) * (1 - share) : null;
}

async function countAll(windows: readonly TimeRange[], count: (window: TimeRange) => Promise<number>): Promise<number> {
  let sum = 0;
  for (const window of windows) sum += await count(window);
  return sum;
}
