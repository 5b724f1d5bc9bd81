import { formatCount } from '../../terminal/progress.ts';
import { renderProgress } from '../../terminal/progress-bar.ts';

export interface ExportProgressView {
  readonly rowsName: string;
  readonly rows: number;
  /** Null if unknown. */
  readonly total: number | null;
  /** Completed share of the range, 0 to 1, used if there is no total; null if unknown. */
  readonly share: number | null;
  readonly rowsPerSecond: number | null;
  readonly leftMs: number | null;
  /** A wait, such as `rate limit: waiting`; null if there is none. */
  readonly wait: { readonly label: string; readonly leftMs: number } | null;
}

/**
 * Returns a line such as `█████░░░░░ 42,000 of 130,000 syncs, 32 %, 3,100/s, 1 min 20 s left`. On a narrow terminal the rate
 * is dropped first.
 */
export function renderExportProgress(view: ExportProgressView, columns: number): string {
  const { rowsName, rows, total, rowsPerSecond, leftMs, wait } = view;
  const share = total === null || total === 0 ? view.share : Math.min(1, rows / total);
  const count = `${formatCount(rows)} ${rowsName}`;
  const seconds = wait === null ? 0 : Math.ceil(wait.leftMs / 1000);
  return renderProgress(
    share,
    [
      total === null
        ? { text: count }
        : { text: `${formatCount(rows)} of ${formatCount(total)} ${rowsName}`, short: count, dropOrder: 1 },
      ...(share === null ? [] : [{ text: `${Math.floor(share * 100)} %` }]),
      ...(wait === null || seconds <= 0
        ? []
        : [
            {
              text: `${wait.label} ${seconds} s`,
              short: `${wait.label.replace(/ (waiting|retrying in)$/, '')} ${seconds} s`,
              dropOrder: 3,
            },
          ]),
      ...(rowsPerSecond === null ? [] : [{ text: `${formatCount(Math.round(rowsPerSecond))}/s`, dropOrder: 4 }]),
      ...(leftMs === null ? [] : [{ text: `${formatDuration(leftMs)} left`, dropOrder: 2 }]),
    ],
    columns,
  );
}

/** Formats a duration with at most two units. */
export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
