import type { Delivery, Sync } from '@svc/sdk';
import { RETRYABLE_CRMS } from '@svc/contract/vocabulary';
import type { Explanation, NextStep } from './explanation.ts';

/** `code` of a sync error that the service itself waits out. */
const DAILY_LIMIT_REACHED = 'daily_limit_reached';

/** Codes of calls without an answer that can be used: the service tries them again, whatever their HTTP status. */
const WITHOUT_ANSWER = new Set(['network', 'timeout', 'unexpected_answer', 'answer_too_large']);

type Facts = Omit<Explanation, 'nextSteps' | 'gaps'>;

/**
 * Says what to do about the event, in order.
 *
 * @param scopes scopes of the key; null if unknown
 * @param showTime how times are shown in texts
 */
export function nextSteps(
  facts: Facts,
  scopes: readonly string[] | null,
  showTime: (timestamp: string) => string,
): NextStep[] {
  const steps = [...writeSteps(facts, scopes, showTime), ...replaySteps(facts.deliveries, scopes)];
  return steps.length > 0 ? steps : [{ text: 'Nothing to do: the event is in the CRM.', action: null }];
}

function writeSteps(
  facts: Facts,
  scopes: readonly string[] | null,
  showTime: (timestamp: string) => string,
): NextStep[] {
  const newest = facts.attempts.at(-1) ?? facts.sync;
  if (facts.outcome === 'written') return [];
  if (facts.outcome === 'warning') {
    const text =
      'The event was written, but the CRM refused a part of it. Correct in the CRM what its answer names; only syncs with status error can be retried.';
    return [{ text, action: null }];
  }
  return [...causeSteps(facts, newest), ...retrySteps(facts, newest, scopes, showTime)];
}

/** What keeps the CRM from taking the event. */
function causeSteps({ connection, blockers, sync, source }: Facts, newest: Sync): NextStep[] {
  const id = sync.connectionId;
  if (blockers.length > 0) {
    return blockers.map(({ message, remediation }) => ({
      text: `${message} ${remediation}`,
      action: /https?:/.test(remediation) ? { kind: 'open-connection', connectionId: id } : null,
    }));
  }
  if (connection?.crmConnection.status === 'disabled') {
    return [{ text: `Syncing is switched off on connection ${id}: have it switched on.`, action: null }];
  }
  const { code, httpStatus } = newest.error ?? {};
  if (code === DAILY_LIMIT_REACHED) {
    const text = `The daily limit of the CRM is reached. Wait until connection ${id} is ready again; the service may then write the event by itself, as a new sync.`;
    return [{ text, action: { kind: 'watch-status' } }];
  }
  const hasNoAnswer = typeof code === 'string' && WITHOUT_ANSWER.has(code);
  if (hasNoAnswer || (typeof httpStatus === 'number' && (httpStatus === 429 || httpStatus >= 500))) {
    const text =
      'The CRM was not available, or its answer could not be used. The service tries the event for 24 hours and adds a sync with the result; a retry tries it now.';
    const filter = source === null ? { connectionId: id } : { sourceId: source.id };
    return [{ text, action: { kind: 'list-syncs', filter } }];
  }
  if (connection?.crmConnection.status === 'error') {
    return [{ text: `Connection ${id} has a recorded error. Solve it first.`, action: { kind: 'show-status' } }];
  }
  return [
    {
      text: 'If the answer of the CRM names something to correct, correct it first. Otherwise a retry fails again.',
      action: null,
    },
  ];
}

function retrySteps(
  { connection, sync, failingSource }: Facts,
  newest: Sync,
  scopes: readonly string[] | null,
  showTime: (timestamp: string) => string,
): NextStep[] {
  if (sync.sourceId === null || sync.payloadId === null) {
    const what = sync.sourceId === null ? 'source' : 'request';
    return [{ text: `The sync cannot be retried, because its ${what} no longer exists.`, action: null }];
  }
  const crm = connection?.crm ?? null;
  const supported = RETRYABLE_CRMS.join(' and ');
  if (crm !== null && !RETRYABLE_CRMS.some((each) => each === crm)) {
    const text = `The sync cannot be retried: retries exist for ${supported} only, and connection ${sync.connectionId} is ${crm}. Let the sequencer send the event again.`;
    return [{ text, action: null }];
  }
  const ifSupported = crm === null ? `, if its CRM is ${supported.replace(' and ', ' or ')}` : '';
  const isWaiting = newest.error?.code === DAILY_LIMIT_REACHED;
  const retry: NextStep = {
    text: `${isWaiting ? 'If no new sync follows, retry it' : 'Retry it'}${ifSupported}${needsWrite(scopes)}:`,
    action: { kind: 'retry-sync', id: newest.id },
  };
  if (failingSource === null) return [retry];
  const since = failingSource.since.slice(0, 10);
  const text = `Source ${sync.sourceId} has been failing since ${showTime(failingSource.since)}. This shows which of its syncs a retry of all would include:`;
  return [retry, { text, action: { kind: 'preview-retries', sourceId: sync.sourceId, since } }];
}

function needsWrite(scopes: readonly string[] | null): string {
  return scopes === null || scopes.includes('write')
    ? ''
    : ' with a key that has the scope write (yours may only read)';
}

/** The latest delivery to each destination decides. */
function replaySteps(deliveries: readonly Delivery[], scopes: readonly string[] | null): NextStep[] {
  const latest = new Map(deliveries.map((delivery) => [delivery.destinationId, delivery]));
  return [...latest.values()]
    .filter(({ status }) => status === 'error')
    .map(({ id, destinationId, error }) => ({
      text: `The last delivery to destination ${destinationId} failed${error === null ? '' : ` (${error})`}. When it answers again, replay it${needsWrite(scopes)}:`,
      action: { kind: 'replay-delivery', id, destinationId },
    }));
}
