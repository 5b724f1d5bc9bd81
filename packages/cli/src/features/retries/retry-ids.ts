import type { Client } from '@svc/sdk';
import { printBatch, runBatch } from '../../command/batch.ts';
import type { ExitCode } from '../../errors/exit-codes.ts';
import { printRecord } from '../../format/record.ts';
import { startProgress } from '../../terminal/progress.ts';
import { terminalWidth } from '../../terminal/stdout.ts';
import { renderTable } from '../../terminal/table.ts';
import { followRetries, type RetryWait } from './follow-retries.ts';
import { exitCodeOfRetries, RETRIES_COLUMNS, type RetriedSync, toRetriesResult } from './retries-result.ts';

export interface RetryIdsOptions {
  /** Null: do not wait. */
  readonly wait: RetryWait | null;
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
  const { result, followed } = await followRetries(
    client,
    (onQueued) =>
      runBatch(ids, async (id) => {
        const sync = await client.syncs.get(id);
        await client.syncs.retry(id);
        onQueued(sync);
      }),
    wait,
    { progress, isJson },
  ).finally(() => progress.end());
  const items = result.map(
    (item): RetriedSync => ({ ...item, result: followed.find(({ sync }) => sync.id === item.id) ?? null }),
  );
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
