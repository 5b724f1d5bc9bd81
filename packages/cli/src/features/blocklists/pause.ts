import type { Blocklist, Client } from '@svc/sdk';
import { type ErrorReport, toErrorReport } from '../../command/map-error.ts';
import { EXIT_CODES, type ExitCode } from '../../errors/exit-codes.ts';
import { exitCodeOfBatch } from '../../command/batch-exit-code.ts';

export interface PauseOutcome {
  readonly id: number;
  /** Null for an id that the key does not reach. */
  readonly blocklist: Blocklist | null;
  /** Where its pipeline stands still; null when it was refused. */
  readonly status: string | null;
  readonly error: ErrorReport | null;
  /** What was thrown for it. */
  readonly cause: unknown;
}

/** Pauses one list after the other; one that is refused does not keep the others from it. A paused list is paused again. */
export async function pauseBlocklists(
  client: Client,
  lists: readonly { readonly id: number; readonly blocklist: Blocklist | null }[],
): Promise<PauseOutcome[]> {
  const outcomes: PauseOutcome[] = [];
  for (const { id, blocklist } of lists) {
    try {
      const { status } = await client.blocklists.pause(id);
      outcomes.push({ id, blocklist, status, error: null, cause: null });
    } catch (cause) {
      const error = toErrorReport(cause);
      if (error.status === 401) throw cause;
      outcomes.push({ id, blocklist, status: null, error, cause });
    }
  }
  return outcomes;
}

export function exitCodeOfPause(outcomes: readonly PauseOutcome[]): ExitCode {
  return exitCodeOfBatch(outcomes.map(({ error }) => error?.exitCode ?? EXIT_CODES.ok));
}
