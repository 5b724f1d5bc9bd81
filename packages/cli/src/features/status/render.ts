import type { AccountStatusResponse, ConnectionStatus, StatusIssue } from '@svc/sdk';
import { localizeTimes } from '../../format/times.ts';
import type { Paint, Tone } from '../../terminal/colors.ts';
import { type Cell, type Column, renderTable } from '../../terminal/table.ts';
import { sanitize } from '../../terminal/text.ts';
import { wrapText } from '../../terminal/wrap.ts';
import type { FailingSource } from './failing-sources.ts';
import { explainValues, findProblems, otherWarnings, type Problem, statusText } from './problems.ts';

/** What the page shows. */
export interface StatusPage {
  readonly status: AccountStatusResponse;
  readonly failing: readonly FailingSource[];
}

/** Colours by status. Unknown values have no colour. */
const TONES: Readonly<Record<string, Tone>> = {
  ready: 'good',
  not_configured: 'warn',
  disconnected: 'bad',
  error: 'bad',
  disabled: 'muted',
};

/** Renders the verdict, a line per connection, and what is wrong, with its fix. */
export function renderStatus({ status, failing }: StatusPage, width: number, paint: Paint): string {
  const problems = findProblems(status, failing);
  const parts = [
    `${renderVerdict(status.ready, problems.length, paint)} ${paint('muted', `(checked ${localizeTimes(sanitize(status.checkedAt))})`)}\n`,
  ];
  if (status.connections.length > 0) {
    const failingIds = new Set(problems.map(({ connectionId }) => connectionId));
    const legend = wrapText(explainValues(status).join(' '), width);
    const lines = legend.map((line) => (line === '' ? '' : `${paint('muted', line)}\n`)).join('');
    parts.push(renderTable(status.connections, columnsFor(failingIds), { width, paint }) + (lines && `\n${lines}`));
  }
  if (status.blockers.length > 0) parts.push(renderIssues('Blockers', 'bad', status.blockers, width, paint));
  if (problems.length > 0) parts.push(renderProblems(problems, width, paint));
  const warnings = otherWarnings(status);
  if (warnings.length > 0) parts.push(renderIssues('Warnings', 'warn', warnings, width, paint));
  return parts.join('\n');
}

function renderVerdict(ready: boolean, problemCount: number, paint: Paint): string {
  if (!ready) return paint('bad', 'Not ready');
  if (problemCount === 0) return paint('good', 'Ready');
  return paint('warn', `Ready, but ${problemCount === 1 ? '1 part does' : `${problemCount} parts do`} not work`);
}

export function componentCell(status: string, count?: number): Cell {
  return { text: statusText(status, count), tone: TONES[status] };
}

/** @param failingIds connections with problems, whose READY is no good news */
const columnsFor = (failingIds: ReadonlySet<number>): readonly Column<ConnectionStatus>[] => [
  { header: 'ID', cell: ({ connectionId }) => ({ text: String(connectionId) }) },
  { header: 'CRM', cell: ({ crm }) => ({ text: crm }) },
  {
    header: 'ORGANIZATION',
    cell: ({ crmConnection }) => ({ text: crmConnection.organizationDomain }),
    dropOrder: 2,
  },
  {
    header: 'READY',
    cell: ({ connectionId, ready }) => {
      if (!ready) return { text: 'no', tone: 'bad' };
      return { text: 'yes', tone: failingIds.has(connectionId) ? 'warn' : 'good' };
    },
  },
  { header: 'CONNECTION', cell: ({ crmConnection }) => componentCell(crmConnection.status) },
  { header: 'SOURCES', cell: ({ sources }) => componentCell(sources.status, sources.count) },
  {
    header: 'DESTINATIONS',
    cell: ({ destinations }) => componentCell(destinations.status, destinations.count),
  },
  {
    header: 'BLOCK LISTS',
    cell: ({ blocklists }) => componentCell(blocklists.status, blocklists.enabledCount),
  },
  { header: 'PLATFORMS', cell: ({ sources }) => ({ text: sources.platforms.join(', ') }), dropOrder: 3 },
];

function renderProblems(problems: readonly Problem[], width: number, paint: Paint): string {
  const blocks = problems.map(({ connectionId, crm, title, meaning, details }) => {
    const head = `  ${paint('bad', sanitize(title))} ${paint('muted', sanitize(`on ${connectionId} ${crm}`))}`;
    const lines = details.flatMap(({ label, text }) => wrapText(`${label}: ${text}`, width, INDENT));
    return [head, ...wrapText(meaning, width, INDENT), ...lines].join('\n');
  });
  return `${paint('strong', 'Problems')}\n${blocks.join('\n')}\n`;
}

function renderIssues(title: string, tone: Tone, issues: readonly StatusIssue[], width: number, paint: Paint): string {
  const blocks = issues.map(({ code, connectionId, crm, message, remediation, docUrl }) => {
    const head = `  ${paint(tone, sanitize(code))} ${paint('muted', sanitize(`on ${connectionId} ${crm}`))}`;
    return [
      head,
      ...wrapText(message, width, INDENT),
      ...wrapText(`Fix: ${remediation}`, width, INDENT),
      INDENT + sanitize(docUrl),
    ].join('\n');
  });
  return `${paint('strong', title)}\n${blocks.join('\n')}\n`;
}

const INDENT = '    ';
