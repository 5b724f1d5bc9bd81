import type { Delivery, Sync } from '@svc/sdk';
import type { Paint, Tone } from '../../terminal/colors.ts';
import { formatValue } from '../../format/record.ts';
import { toSecond } from '../../format/times.ts';
import { sanitize } from '../../terminal/text.ts';
import { wrapText } from '../../terminal/wrap.ts';
import { SYNC_TONES } from '../logs/syncs.ts';
import type { EventOutcome } from '@svc/mcp/explain/explanation';
import type { Explanation } from './explanation.ts';

const INDENT = '  ';
const DEEP = '      ';

/** Renders the verdict, what happened in order, and what to do next. */
export function renderExplanation(explanation: Explanation, width: number, paint: Paint): string {
  const { attempts, otherSyncs, deliveries, gaps, nextSteps, sync } = explanation;
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`${paint('strong', title)}\n${lines.join('\n')}\n`];
  const fill = (text: string) => wrapText(text, width, INDENT);
  return [
    `${renderVerdict(explanation, width, paint)}\n`,
    ...section('Received', fill(describeReceipt(explanation))),
    ...section('Connection', fill(describeConnection(explanation))),
    ...section(
      attempts.length === 1 ? 'One attempt to write it' : `${attempts.length} attempts to write it`,
      attempts.flatMap((attempt) => renderAttempt(attempt, attempt.id === sync.id, width, paint)),
    ),
    ...section(
      'Forwarded',
      deliveries.flatMap((delivery) => renderDelivery(delivery, width, paint)),
    ),
    ...section(
      'Other events of the same request',
      otherSyncs.flatMap((other) => {
        const { id, status, eventType, toEmail } = other;
        return renderHead(`${id}  `, status, `  ${eventType} to ${toEmail}`, SYNC_TONES[status], width, paint);
      }),
    ),
    ...section(
      'Not known',
      gaps.flatMap(({ part, reason }) => fill(`${part}: ${reason}`)),
    ),
    ...section(
      'What to do',
      nextSteps.flatMap(({ text, command }, index) => [
        ...numbered(index + 1, text, width),
        // Stays on one line, so that it can be copied.
        ...(command === null ? [] : [`${INDENT}   ${sanitize(command)}`]),
      ]),
    ),
  ].join('\n');
}

function numbered(number: number, text: string, width: number): string[] {
  const [first = '', ...others] = wrapText(text, width, `${INDENT}   `);
  return [`${INDENT}${number}. ${first.trimStart()}`, ...others];
}

const OUTCOME_TONES: Readonly<Record<EventOutcome, Tone>> = { written: 'good', warning: 'warn', failed: 'bad' };

function renderVerdict({ sync, outcome, attempts, connection }: Explanation, width: number, paint: Paint): string {
  const crm = connection?.crm ?? 'the CRM';
  const writer = attempts.find(({ status }) => status === 'success');
  const verdict = {
    written: `is in ${crm}${writer === undefined || writer.id === sync.id ? '' : `: sync ${writer.id} wrote it`}.`,
    warning: `is in ${crm}, but a part was refused.`,
    failed: `is not in ${crm}.`,
  }[outcome];
  const lines = wrapText(`${sync.eventType} of ${sync.toEmail} ${verdict}`, width);
  return lines.map((line) => paint(OUTCOME_TONES[outcome], line)).join('\n');
}

function describeReceipt({ sync, request, source }: Explanation): string {
  const id = sync.payloadId === null ? 'an unknown request' : `request ${sync.payloadId}`;
  const from = sync.sourceId === null ? 'a source that was deleted' : `source ${sync.sourceId}`;
  const platform = source?.platform ?? sync.platform;
  const at = request === null ? '' : ` at ${toSecond(request.createdAt)}`;
  return `${id}${at}, from ${platform} to ${from}${source === null ? '' : `, ${source.url}`}`;
}

function describeConnection({ sync, connection }: Explanation): string {
  if (connection === null) return `${sync.connectionId}`;
  const { crm, crmConnection } = connection;
  return `${sync.connectionId} ${crm}, ${crmConnection.organizationDomain}: ${crmConnection.status}`;
}

function renderAttempt(attempt: Sync, isExplained: boolean, width: number, paint: Paint): string[] {
  const { id, status, createdAt, error } = attempt;
  const rest = `  sync ${id}${isExplained ? ' (this one)' : ''}`;
  const head = renderHead(`${toSecond(createdAt)}  `, status, rest, SYNC_TONES[status], width, paint);
  return [...head, ...errorLines(error).flatMap((line) => wrapText(line, width, DEEP))];
}

/** The answer of the CRM in full: its message first, then its other fields. */
function errorLines(error: Sync['error']): string[] {
  if (error === null) return [];
  const { message, ...others } = error;
  return [
    ...(message === undefined ? [] : [formatValue(message)]),
    ...Object.entries(others).map(([name, value]) => `${name}: ${value === null ? 'none' : formatValue(value)}`),
  ];
}

function renderDelivery(delivery: Delivery, width: number, paint: Paint): string[] {
  const { id, status, createdAt, httpStatus, destinationId, destinationUrl, error } = delivery;
  const rest = `${httpStatus === null ? '' : ` ${httpStatus}`}  delivery ${id}`;
  const head = renderHead(`${toSecond(createdAt)}  `, status, rest, SYNC_TONES[status], width, paint);
  const lines = [`to destination ${destinationId}, ${destinationUrl}`, ...(error === null ? [] : [error])];
  return [...head, ...lines.flatMap((line) => wrapText(line, width, DEEP))];
}

/** Renders a line whose status is coloured; what does not fit continues on indented lines. */
function renderHead(
  before: string,
  status: string,
  after: string,
  tone: Tone | undefined,
  width: number,
  paint: Paint,
): string[] {
  const start = sanitize(`${INDENT}${before}`);
  const plain = `${start}${sanitize(status)}${sanitize(after)}`;
  const shown = tone === undefined ? sanitize(status) : paint(tone, sanitize(status));
  if (plain.length <= width) return [`${start}${shown}${sanitize(after)}`];
  return [`${start}${shown}`, ...wrapText(after.trim(), width, DEEP)];
}
