import type { AccountStatusResponse, ConnectionStatus, StatusIssue } from '@svc/sdk';
import { localizeTimes } from '../../format/times.ts';
import type { Paint, Tone } from '../../terminal/colors.ts';
import { type Cell, type Column, renderTable } from '../../terminal/table.ts';
import { sanitize } from '../../terminal/text.ts';
import { wrapText } from '../../terminal/wrap.ts';
import type { FailingSource } from '@svc/mcp/explain/failing-sources';
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

export interface StatusStyle {
  /** Columns. */
  readonly width: number;
  readonly paint: Paint;
  /** Whether each entry is explained; otherwise the page shows what is wrong where, which fits into a small terminal. */
  readonly isLong: boolean;
}

/** Renders the verdict, a line per connection, what is wrong, and the verdict again, because the first may have scrolled away. */
export function renderStatus({ status, failing }: StatusPage, style: StatusStyle): string {
  const { width, paint, isLong } = style;
  const problems = findProblems(status, failing);
  const warnings = otherWarnings(status);
  const verdict = renderVerdict(status.ready, problems.length, paint);
  const parts = [`${verdict} ${paint('muted', `(checked ${localizeTimes(sanitize(status.checkedAt))})`)}\n`];
  if (status.connections.length > 0) {
    const failingIds = new Set(problems.map(({ connectionId }) => connectionId));
    const table = renderTable(status.connections, columnsFor(failingIds), { width, paint });
    const legend = isLong ? wrapText(explainValues(status).join(' '), width) : [];
    const lines = legend.map((line) => (line === '' ? '' : `${paint('muted', line)}\n`)).join('');
    parts.push(table + (lines && `\n${lines}`));
  }
  const sections = [
    renderSection(
      'Blockers',
      status.blockers.map((issue) => issueEntry(issue, 'bad')),
      style,
    ),
    renderSection('Problems', problems.map(problemEntry), style),
    renderSection(
      'Warnings',
      warnings.map((issue) => issueEntry(issue, 'warn')),
      style,
    ),
  ].filter((section) => section !== '');
  if (sections.length === 0) return parts.join('\n');
  const counts = [
    ...countOf(status.blockers.length, 'blocker'),
    ...countOf(problems.length, 'problem'),
    ...countOf(warnings.length, 'warning'),
  ].join(', ');
  const more = isLong ? '' : 'What they mean, and the fixes: svc status --long\n';
  return [...parts, sections.join(isLong ? '\n' : ''), `${verdict}: ${counts}\n${more}`].join('\n');
}

export function renderVerdict(ready: boolean, problemCount: number, paint: Paint): string {
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

/** Something that is wrong, with its explanation. */
interface Entry {
  readonly title: string;
  readonly tone: Tone;
  readonly connectionId: number;
  readonly crm: string;
  /** What is said of it in any case. */
  readonly fix: readonly string[];
  /** All that is known of it. */
  readonly texts: readonly string[];
}

function problemEntry({ title, meaning, details, ...subject }: Problem): Entry {
  const texts = [meaning, ...details.map(({ label, text }) => `${label}: ${text}`)];
  return { ...subject, title, tone: 'bad', fix: [], texts };
}

function issueEntry(
  { code, message, remediation, docUrl, connectionId, crm }: StatusIssue,
  tone: 'bad' | 'warn',
): Entry {
  const fix = `Fix: ${remediation}`;
  // Only a blocker stops everything.
  return { connectionId, crm, title: code, tone, fix: tone === 'bad' ? [fix] : [], texts: [message, fix, docUrl] };
}

/** Entries of a section that the short page shows. */
const SHOWN_MAX = 5;

/** Returns an empty text without entries. */
function renderSection(title: string, entries: readonly Entry[], style: StatusStyle): string {
  const { width, paint, isLong } = style;
  if (entries.length === 0) return '';
  const shown = isLong ? entries : entries.slice(0, SHOWN_MAX);
  const lines = shown.flatMap(({ title: head, tone, connectionId, crm, fix, texts }) => [
    ...renderHead([head, tone], `on ${connectionId} ${crm}`, style),
    ...(isLong ? texts : fix).flatMap((text) => wrapText(text, width, INDENT)),
  ]);
  const hidden = entries.length - shown.length;
  return `${[paint('strong', title), ...lines, ...(hidden > 0 ? [`  and ${hidden} more`] : [])].join('\n')}\n`;
}

/** The title and where it is; in a narrow terminal on several lines. */
function renderHead([head, tone]: readonly [string, Tone], place: string, { width, paint }: StatusStyle): string[] {
  const [first = '', ...others] = wrapText(`${head} ${place}`, width - INDENT.length);
  if (others.length > 0) return [`  ${paint(tone, first)}`, ...others.map((line) => paint(tone, INDENT + line))];
  return [`  ${paint(tone, sanitize(head))} ${paint('muted', sanitize(place))}`];
}

function countOf(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`];
}

const INDENT = '    ';
