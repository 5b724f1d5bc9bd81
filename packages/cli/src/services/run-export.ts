import { extname } from 'node:path';
import type { List } from '@svc/sdk';
import { usageError } from '../lib/cli-error.ts';
import { topLevelFields } from '../output/field-lists.ts';
import { printJson } from '../output/json.ts';
import { createProgress, formatCount } from '../output/progress.ts';
import { createRowEncoder, type RowFormat } from '../output/row-encoder.ts';
import { writeStdout } from '../output/stdout.ts';
import { isSpecialFile, openAtomicFile, openSpecialFile, type RowSink } from './atomic-file.ts';
import { exportRows } from './export-rows.ts';
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
  const { list, range, fields, known, output, what } = request;
  const encoder = createRowEncoder(chooseFormat(request), fields, topLevelFields(known));
  const sink = await openSink(output);
  const progress = createProgress(process.stderr);
  try {
    const { rows } = await exportRows({
      pages: list.pages(),
      encoder,
      sink,
      onPage: (done) => progress.show(`${formatCount(done.rows)} ${what}, ${formatCount(done.pages)} pages`),
    });
    progress.clear();
    if (request.json && output !== undefined) await printJson({ rows, file: output, ...range });
    else process.stderr.write(`Exported ${formatCount(rows)} ${what}${output === undefined ? '' : ` to ${output}`}\n`);
  } finally {
    progress.clear();
  }
}

const FORMAT_OF_ENDING: Readonly<Record<string, RowFormat>> = {
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
};

/** @throws CliError (usage) when `--json` and another format are meant for the same stdout */
function chooseFormat(request: {
  json: boolean;
  format?: RowFormat | undefined;
  output?: string | undefined;
}): RowFormat {
  if (request.output !== undefined)
    return request.format ?? FORMAT_OF_ENDING[extname(request.output).toLowerCase()] ?? 'csv';
  if (!request.json) return request.format ?? 'csv';
  if (request.format === undefined || request.format === 'json') return 'json';
  throw usageError(`--json and --format ${request.format} contradict each other`, 'Leave one of them out.');
}

async function openSink(output: string | undefined): Promise<RowSink> {
  if (output === undefined) return { write: writeStdout, commit: async () => {}, discard: async () => {} };
  return (await isSpecialFile(output)) ? openSpecialFile(output) : openAtomicFile(output);
}
