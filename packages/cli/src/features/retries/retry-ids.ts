import type { Client } from '@svc/sdk';
import { printBatch, runBatch } from '../../command/batch.ts';
import type { ExitCode } from '../../errors/exit-codes.ts';
import { printRecord } from '../../format/record.ts';
import { setInterruptHint } from '../../terminal/interrupts.ts';
import { startProgress } from '../../terminal/progress.ts';
import { renderProgress } from '../../terminal/progress-bar.ts';
import { printNotice } from '../../terminal/stderr.ts';
import { terminalWidth } from '../../terminal/stdout.ts';
import { renderTable } from '../../terminal/table.ts';
import { exitCodeOfRetries, RETRIES_COLUMNS, retryAndWait, toRetriesResult } from './retry-and-wait.ts';

export interface RetryIdsOptions {
  /** Null: do not wait. */
  readonly wait: { readonly timeoutMs: number; readonly pollMs: number } | null;
  readonly isJson: boolean;
  readonly fields: readonly string[] | null;
}

/**
 * Retries several syncs, or waits for the retry of one, and prints the results.
 *
 * @throws the refusal, if a single sync is refused
 */
export async function retryIds(
  client: Client,
  ids: readonly number[],
  { wait, isJson, fields }: RetryIdsOptions,
): Promise<ExitCode> {
  if (wait === null) {
    const queued = await runBatch(ids, (id) => client.syncs.retry(id));
    return printBatch(queued, { name: 'syncs', done: 'queued', facts: () => ({ sync: null }), isJson, fields });
  }
  const progress = startProgress(isJson ? null : process.stderr);
  setInterruptHint('Queued retries continue. `svc syncs list` shows the new syncs.');
  const items = await retryAndWait(client, ids, {
    ...wait,
    onProgress(done, total) {
      const parts = [
        { text: `${done} of ${total} retries have a result` },
        { text: 'Ctrl-C stops waiting', dropOrder: 1 },
      ];
      progress.show((columns) => renderProgress(done / total, parts, columns));
    },
    onTrouble: (message) => {
      if (!isJson) printNotice(`Still waiting: ${message}`);
    },
  }).finally(() => {
    setInterruptHint(null);
    progress.end();
  });
  const [only, ...others] = items;
  if (only !== undefined && others.length === 0 && only.cause !== null) throw only.cause;
  const exitCode = exitCodeOfRetries(items);
  await printRecord(toRetriesResult(items, exitCode), {
    isJson,
    fields,
    render: (paint) => renderTable(items, RETRIES_COLUMNS, { width: terminalWidth(), paint }),
  });
  return exitCode;
}
