import type { AccountStatusResponse, ConnectionStatus, StatusIssue } from '@svc/sdk';
import type { Paint, Tone } from '../../terminal/colors.ts';
import { type Cell, type Column, renderTable } from '../../terminal/table.ts';
import { sanitize } from '../../terminal/text.ts';

/** Colours by status. Unknown values have no colour. */
const TONES: Readonly<Record<string, Tone>> = {
  ready: 'good',
  not_configured: 'warn',
  disconnected: 'bad',
  error: 'bad',
  disabled: 'muted',
};

/** Renders the verdict, a line per connection, and the blockers and warnings with their fixes. */
export function renderStatus(status: AccountStatusResponse, width: number, paint: Paint): string {
  const verdict = status.ready ? paint('good', 'Ready') : paint('bad', 'Not ready');
  const parts = [`${verdict} ${paint('muted', `(checked ${sanitize(status.checkedAt)})`)}\n`];
  if (status.connections.length > 0) parts.push(renderTable(status.connections, COLUMNS, { width, paint }));
  const errors = status.connections.flatMap(describeBlocklistError);
  if (errors.length > 0) parts.push(`${paint('strong', 'Block lists')}\n${errors.join('\n')}\n`);
  if (status.blockers.length > 0) parts.push(renderIssues('Blockers', 'bad', status.blockers, width, paint));
  if (status.warnings.length > 0) parts.push(renderIssues('Warnings', 'warn', status.warnings, width, paint));
  return parts.join('\n');
}

export function componentCell(status: string, count?: number): Cell {
  return { text: count === undefined ? status : `${status} (${count})`, tone: TONES[status] };
}

const COLUMNS: readonly Column<ConnectionStatus>[] = [
  { header: 'ID', cell: ({ connectionId }) => ({ text: String(connectionId) }) },
  { header: 'CRM', cell: ({ crm }) => ({ text: crm }) },
  {
    header: 'ORGANIZATION',
    cell: ({ crmConnection }) => ({ text: crmConnection.organizationDomain }),
    dropOrder: 2,
  },
  {
    header: 'READY',
    cell: ({ ready }) => (ready ? { text: 'yes', tone: 'good' } : { text: 'no', tone: 'bad' }),
  },
  { header: 'CONNECTION', cell: ({ crmConnection }) => componentCell(crmConnection.status) },
  { header: 'SOURCES', cell: ({ sources }) => componentCell(sources.status, countIfSet(sources.count)) },
  {
    header: 'DESTINATIONS',
    cell: ({ destinations }) => componentCell(destinations.status, countIfSet(destinations.count)),
  },
  {
    header: 'BLOCK LISTS',
    cell: ({ blocklists }) => componentCell(blocklists.status, countIfSet(blocklists.enabledCount)),
  },
  { header: 'PLATFORMS', cell: ({ sources }) => ({ text: sources.platforms.join(', ') }), dropOrder: 3 },
];

/** Hides a count of 0. */
function countIfSet(count: number): number | undefined {
  return count === 0 ? undefined : count;
}

function describeBlocklistError({ connectionId, crm, blocklists }: ConnectionStatus): string[] {
  const { lastError } = blocklists;
  return lastError === null ? [] : [`  ${sanitize(String(connectionId))} ${sanitize(crm)}: ${sanitize(lastError)}`];
}

function renderIssues(title: string, tone: Tone, issues: readonly StatusIssue[], width: number, paint: Paint): string {
  const blocks = issues.map(({ code, connectionId, crm, message, remediation, docUrl }) => {
    const head = `  ${paint(tone, sanitize(code))} ${paint('muted', sanitize(`on ${connectionId} ${crm}`))}`;
    return [head, ...wrap(message, width), ...wrap(`Fix: ${remediation}`, width), `    ${sanitize(docUrl)}`].join('\n');
  });
  return `${paint('strong', title)}\n${blocks.join('\n')}\n`;
}

const INDENT = '    ';

/** Wraps text at spaces, so that addresses stay whole. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of sanitize(text).split(/\s+/)) {
    if (line !== '' && INDENT.length + line.length + 1 + word.length > width) {
      lines.push(INDENT + line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, INDENT + line];
}
