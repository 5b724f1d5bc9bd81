import { GENERAL_REQUESTS_PER_WINDOW, RATE_WINDOW_SECONDS } from '@svc/contract/limits';
import { readTerminalEnvironment } from '../../terminal/environment.ts';
import { paintFor } from '../../terminal/colors.ts';
import { dayColumns, METRICS_VIEWS, type MetricsView, rangeLine, renderDays } from './render.ts';
import { formatCount, startProgress } from '../../terminal/progress.ts';
import { renderProgress } from '../../terminal/progress-bar.ts';
import { printRecord } from '../../format/record.ts';
import { printRows } from '../../format/rows.ts';
import { printNotice } from '../../terminal/stderr.ts';
import { terminalWidth, writeRendered } from '../../terminal/stdout.ts';
import { countDays, countRange, type createCounters, type MetricsOf, type MetricsSubject } from './fetch-metrics.ts';
import { splitDays } from './count-windows.ts';
import type { LogRange } from '../../command/log-range.ts';
import { listFormat } from '../../command/flags.ts';
import { describeAll } from '../../command/print-list.ts';
import type { TimeRange } from '../../command/time-range.ts';

export interface MetricsRequest {
  readonly subject: MetricsSubject;
  readonly counters: ReturnType<typeof createCounters>;
  readonly range: TimeRange;
  /** The same range as the user gave it. */
  readonly logRange: LogRange;
  readonly fields: readonly string[] | null;
  /** All fields that `--fields` accepts. */
  readonly allFields: readonly string[];
  readonly isByDay: boolean;
  readonly isJson: boolean;
}

export async function printMetrics(request: MetricsRequest): Promise<void> {
  const { subject, counters } = request;
  // The compiler matches counter and view only for literal subjects.
  switch (subject) {
    case 'account':
      return print(request, counters.account, METRICS_VIEWS.account);
    case 'syncs':
      return print(request, counters.syncs, METRICS_VIEWS.syncs);
    case 'requests':
      return print(request, counters.requests, METRICS_VIEWS.requests);
    case 'deliveries':
      return print(request, counters.deliveries, METRICS_VIEWS.deliveries);
  }
}

async function print<Subject extends MetricsSubject>(
  request: MetricsRequest,
  count: (part: TimeRange) => Promise<MetricsOf[Subject]>,
  view: MetricsView<MetricsOf[Subject]>,
): Promise<void> {
  const { range, logRange, fields, isJson } = request;
  if (request.isByDay) return printDays(request, count, view);
  const counts = await countRange<Subject>(count, range);
  await printRecord(counts, { isJson, fields, lines: () => [rangeLine(range, logRange), ...view.lines(counts)] });
}

async function printDays<Subject extends MetricsSubject>(
  { range, logRange, fields, allFields, isJson }: MetricsRequest,
  count: (part: TimeRange) => Promise<MetricsOf[Subject]>,
  view: MetricsView<MetricsOf[Subject]>,
): Promise<void> {
  const { length } = splitDays(range);
  if (length > GENERAL_REQUESTS_PER_WINDOW && !isJson) {
    const minutes = Math.floor(((length - 1) / GENERAL_REQUESTS_PER_WINDOW) * (RATE_WINDOW_SECONDS / 60));
    printNotice(
      `${formatCount(length)} days need ${formatCount(length)} requests: about ${minutes} min with the rate limit.`,
    );
  }
  const progress = startProgress(isJson ? null : process.stderr);
  const days = await countDays<Subject>(count, range, (done, all) => {
    const parts = [{ text: `${formatCount(done)} of ${formatCount(all)} days counted` }];
    progress.show((columns) => renderProgress(done / all, parts, columns));
  }).finally(() => progress.end());
  const format = listFormat({ json: isJson });
  if (format !== 'table' || fields !== null) {
    const columns = dayColumns<MetricsOf[Subject]>(view);
    await printRows(days, { format, fields, allFields, columns, whenEmpty: 'No days in this range.' });
  } else {
    const { isDumbTerminal } = readTerminalEnvironment();
    const options = { width: terminalWidth(), paint: paintFor(process.stdout), isAscii: isDumbTerminal };
    await writeRendered(renderDays(days, view, options));
  }
  if (!isJson) printNotice(describeAll(days.length, 'days', logRange));
}
