import { ERROR_MESSAGES, notFoundMessage } from '@svc/contract/error-messages';
import type { Client } from '@svc/sdk';
import { RESYNC_IN_PROGRESS_HINT, toErrorReport } from '../../command/map-error.ts';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { end, isRunning, type ResyncPlan, type ResyncState } from './resync.ts';

/**
 * Predicts the outcome of each list without a write; `queued` means that its resync would be queued. The checks and their
 * order are those of the service. The API does not show whether a list has a CRM source or a queued fetch.
 */
export async function predictResyncs(
  client: Client,
  lists: readonly ResyncState[],
  plan: Pick<ResyncPlan, 'wait' | 'skipsInProgress' | 'isAll'>,
): Promise<readonly ResyncState[]> {
  const { connections } = await client.connections.list();
  const disabled = new Set(connections.filter(({ capabilities }) => !capabilities.blocklists).map(({ id }) => id));
  return lists.map((state) => {
    const { id, blocklist } = state;
    if (state.outcome !== null) return state;
    if (blocklist === null) {
      return refuse(state, new CliError('not_found', EXIT_CODES.notFound, notFoundMessage('Blocklist', id)));
    }
    if (disabled.has(blocklist.connectionId)) {
      if (plan.isAll) return end(state, 'not-enabled');
      return refuse(state, new CliError('forbidden', EXIT_CODES.forbidden, ERROR_MESSAGES.blocklistsNotEnabled));
    }
    if (!isRunning(blocklist)) return end(state, 'queued');
    if (plan.wait !== null || plan.skipsInProgress) return end(state, 'in-progress');
    const { resyncInProgress } = ERROR_MESSAGES;
    const cause = new CliError('conflict', EXIT_CODES.conflict, resyncInProgress, RESYNC_IN_PROGRESS_HINT);
    return { ...refuse(state, cause), outcome: 'in-progress' };
  });
}

function refuse(state: ResyncState, cause: CliError): ResyncState {
  return end({ ...state, error: toErrorReport(cause), cause }, 'refused');
}
