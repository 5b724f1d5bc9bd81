import { extname } from 'node:path';
import type { List } from '@svc/sdk';
import { usageError } from '../lib/cli-error.ts';
import { readEnvironment } from '../lib/environment.ts';
import { topLevelFields } from '../output/field-lists.ts';
import { printJson } from '../output/json.ts';
import { formatCount, startProgress } from '../output/progress.ts';
import { createRowEncoder, type RowFormat } from '../output/row-encoder.ts';
import { printNotice } from '../output/stderr.ts';
import { writeStdout } from '../output/stdout.ts';
import { openAtomicFile } from './atomic-file.ts';
import { exportRows } from './export-rows.ts';
import { ReaderGoneError, type RowSink } from './row-sink.ts';
import { isSpecialFile, openSpecialFile } from './special-file.ts';
import type { TimeRange } from './time-range.ts';

export interface ExportRequest<Row> {
  readonly list: List<Row>;
  readonly range: TimeRange;
  /** The plural of what is exported, for messages. */
  readonly what: string;
  readonly fields: readonly string[] | null;
  /** All fields a row may have. */
  readonly known: readonly string[];
  readonly json: boolean;
  readonly format?: RowFormat | undefined;
  readonly output?: string | undefined;
}

/** An export from start to summary. The data and nothing else goes to stdout or into the file. */
export async function runExport<Row>(request: ExportRequest<Row>): Promise<void> {
  const { list, range, fields, known, what } = request;
  const output = chooseFile(request.output);
  const encoder = createRowEncoder(chooseFormat({ ...request, output }), fields, topLevelFields(known));
  const sink = await openSink(output);
  const isDrawn = !sink.isTerminal && !readEnvironment().isDumbTerminal;
  const progress = startProgress(isDrawn ? process.stderr : null);
  try {
    const { rows } = await exportRows({
      pages: list.pages(),
      encoder,
      sink,
      onPage: ({ rows, pages }) => {
        const count = `${formatCount(pages)} ${pages === 1 ? 'page' : 'pages'}`;
        progress.show(`${formatCount(rows)} ${what}, ${count}`);
      },
    });
    progress.end();
    if (request.json && output !== undefined) await printJson({ rows, file: output, ...range });
    else printNotice(`Exported ${formatCount(rows)} ${what}${output === undefined ? '' : ` to ${output}`}`);
  } catch (error) {
    // As for a closed stdout: `svc ... -o >(head -1)` has what it wanted.
    if (!(error instanceof ReaderGoneError)) throw error;
  } finally {
    progress.end();
  }
}

/** `-` is stdout, as everywhere; `./-` would be a file of that name. */
function chooseFile(output: string | undefined): string | undefined {
  if (output === '') throw usageError('--output has no file name', 'Leave it out, or use -, to write to stdout.');
  return output === '-' ? undefined : output;
}

const FORMAT_OF_ENDING: Readonly<Record<string, RowFormat>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
};

/** @throws CliError (usage) when `--json` and another format are meant for the same stdout */
function chooseFormat({ json, format, output }: Pick<ExportRequest<unknown>, 'json' | 'format' | 'output'>): RowFormat {
  if (output !== undefined) return format ?? FORMAT_OF_ENDING[extname(output).toLowerCase()] ?? 'csv';
  if (!json) return format ?? 'csv';
  if (format === undefined || format === 'json') return 'json';
  throw usageError(`--json and --format ${format} contradict each other`, 'Leave one of them out.');
}

async function openSink(output: string | undefined): Promise<RowSink> {
  if (output === undefined) {
    const isTerminal = process.stdout.isTTY;
    return { isTerminal, write: writeStdout, commit: async () => {}, discard: async () => {} };
  }
  return (await isSpecialFile(output)) ? openSpecialFile(output) : openAtomicFile(output);
}
