import type { AccountStatusResponse, ConnectionStatus, StatusIssue } from '@svc/sdk';
import { toMinute } from '../../format/times.ts';
import type { FailingSource } from '@svc/mcp/explain/failing-sources';

/** Something that does not work on a connection although no blocker says so. */
export interface Problem {
  readonly connectionId: number;
  readonly crm: string;
  /** Where, in the words of the table, such as `BLOCK LISTS error (7)`. */
  readonly title: string;
  /** What it means for the user. */
  readonly meaning: string;
  /** The service's own words, each as a line with a label. */
  readonly details: readonly { readonly label: string; readonly text: string }[];
}

/** Lists what fails although no blocker says so, in the order of the table. */
export function findProblems(status: AccountStatusResponse, failing: readonly FailingSource[]): Problem[] {
  return status.connections.flatMap((connection) => [
    ...componentProblems(connection, status.warnings),
    ...(connection.ready ? failing.filter(({ connectionId }) => connectionId === connection.connectionId) : []).map(
      (source) => sourceProblem(connection, source),
    ),
  ]);
}

/** Returns the warnings that no problem shows: a recorded error is a problem with the warning's text. */
export function otherWarnings({ warnings }: AccountStatusResponse): StatusIssue[] {
  return warnings.filter(({ code }) => code !== 'crm_connection_error' && code !== 'blocklists_error');
}

function componentProblems(connection: ConnectionStatus, warnings: readonly StatusIssue[]): Problem[] {
  const { connectionId: id, crm, ready, crmConnection, sources, destinations, blocklists } = connection;
  const problem = (title: string, meaning: string, ...details: Problem['details']) => {
    return { connectionId: id, crm, title, meaning, details };
  };
  const see = (command: string) => ({ label: 'See', text: command });
  const failedSyncs = see(`svc syncs list --connection ${id} --status error --since 7d`);
  const problems: Problem[] = [];
  if (crmConnection.status === 'error') {
    const meaning = `The service recorded an error of the connection as a whole, such as a refused permission or a reached daily limit. ${
      ready ? 'READY is yes because the CRM is still connected, but events' : 'Events'
    } may not be written until it is solved.`;
    const recorded = warnings
      .filter(({ code, connectionId }) => code === 'crm_connection_error' && connectionId === id)
      .map(({ message }) => ({ label: 'Reason', text: message }));
    problems.push(problem('CONNECTION error', meaning, ...recorded, failedSyncs));
  }
  if (ready && crmConnection.status === 'disabled') {
    const meaning =
      'Syncing is switched off. READY is yes because the CRM is connected, but no event is written to it.';
    problems.push(problem('CONNECTION disabled', meaning));
  }
  if (sources.status === 'error') {
    const meaning = 'The service recorded an error of at least one source: its events may be missing in the CRM.';
    problems.push(problem(`SOURCES ${statusText(sources.status, sources.count)}`, meaning, failedSyncs));
  }
  if (destinations.status === 'error') {
    const meaning = `${
      ready ? 'READY is yes because events are still written to the CRM, but some' : 'Some'
    } may not reach your URLs.`;
    const title = `DESTINATIONS ${statusText(destinations.status, destinations.count)}`;
    problems.push(problem(title, meaning, see('svc deliveries list --status error --since 7d')));
  }
  if (blocklists.status === 'error') {
    const enabled = `${blocklists.enabledCount} ${blocklists.enabledCount === 1 ? 'is' : 'are'} enabled`;
    const meaning = `At least one list fails (${enabled}): its new entries may not reach the sequencer.${
      ready ? ' READY is yes because events are still written to the CRM.' : ''
    }`;
    const lastError = blocklists.lastError === null ? [] : [{ label: 'Last error', text: blocklists.lastError }];
    const title = `BLOCK LISTS ${statusText(blocklists.status, blocklists.enabledCount)}`;
    problems.push(problem(title, meaning, ...lastError, see(`svc blocklists list --connection ${id}`)));
  }
  return problems;
}

function sourceProblem({ connectionId, crm }: ConnectionStatus, source: FailingSource): Problem {
  const { sourceId, platform, since, reason, remediation } = source;
  return {
    ...{ connectionId, crm },
    title: `source ${sourceId}${platform === '' ? '' : ` (${platform})`} has been failing since ${toMinute(since)}`,
    meaning:
      'READY is yes because the CRM is connected, but events of this source are not written to it at the moment.',
    details: [
      { label: 'Reason', text: reason },
      { label: 'Fix', text: remediation },
      {
        label: 'See',
        text: `svc syncs list --source ${sourceId} --status error --since ${since.slice(0, 10)}`,
      },
    ].filter(({ text }) => text !== ''),
  };
}

/** Returns a status as the table shows it, such as `ready (6)`. A count of 0 is hidden. */
export function statusText(status: string, count = 0): string {
  return count === 0 ? status : `${status} (${count})`;
}

/** Explains values that neither a blocker, a problem nor a warning explains; empty if everything is ready. */
export function explainValues({ connections }: AccountStatusResponse): string[] {
  const shown = connections.flatMap(({ crmConnection, sources, destinations, blocklists }) =>
    [crmConnection, sources, destinations, blocklists].map(({ status }) => status),
  );
  if (shown.every((status) => status === 'ready')) return [];
  const isDisabled = shown.some((status) => status === 'disabled');
  return [
    'READY: whether events can be written to the CRM.',
    ...(isDisabled ? ['disabled: switched off for this connection.'] : []),
  ];
}
