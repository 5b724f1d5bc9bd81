import { formatCount } from '../../terminal/progress.ts';

export interface ExportProgressView {
  readonly rowsName: string;
  readonly rows: number;
  /** Null if unknown. */
  readonly total: number | null;
  /** Completed share of the range, 0 to 1, used if there is no total; null if unknown. */
  readonly share: number | null;
  readonly rowsPerSecond: number | null;
  readonly leftMs: number | null;
  readonly waitMs: number;
}

/** Returns a line such as `42,000 of 130,000 syncs, 32 %, 3,100/s, 1 min 20 s left`. A narrow terminal cuts its end. */
export function renderExportProgress(view: ExportProgressView): string {
  const { rowsName, rows, total, rowsPerSecond, leftMs, waitMs } = view;
  const share = total === null || total === 0 ? view.share : Math.min(1, rows / total);
  return [
    total === null ? `${formatCount(rows)} ${rowsName}` : `${formatCount(rows)} of ${formatCount(total)} ${rowsName}`,
    ...(share === null ? [] : [`${Math.floor(share * 100)} %`]),
    ...(waitMs > 0 ? [`rate limit: waiting ${Math.ceil(waitMs / 1000)} s`] : []),
    ...(rowsPerSecond === null ? [] : [`${formatCount(Math.round(rowsPerSecond))}/s`]),
    ...(leftMs === null ? [] : [`${formatDuration(leftMs)} left`]),
  ].join(', ');
}

/** Formats a duration with at most two units. */
export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  return minutes % 60 === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
