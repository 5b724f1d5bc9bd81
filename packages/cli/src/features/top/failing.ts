import type { Sync } from '@svc/sdk';
import type { Tone } from '../../terminal/colors.ts';
import type { Column } from '../../terminal/table.ts';
import { wrapText } from '../../terminal/wrap.ts';
import { toMinute } from '../../format/times.ts';
import { errorMessage } from '../logs/syncs.ts';
import { findProblems, otherWarnings } from '../status/problems.ts';
import { toAge } from './ages.ts';
import { type Panel, toPanelRows } from './panel-rows.ts';
import { countFailures, type FailureShare, HOUR_MS, type TopData } from './top-data.ts';

/** Something that does not work, on a connection or a source. */
interface Failing {
  readonly key: string;
  readonly place: string;
  readonly what: string;
  readonly tone: Tone;
  /** What to do, or why it fails. */
  readonly advice: string;
  /** All that is known, each text with its label. */
  readonly details: readonly string[];
  readonly failure: Sync | null;
}

/** Lists blockers, failing sources, sources with failed syncs in the last hour, and warnings. */
export function failingPanel(data: TopData, nowMs: number): Panel {
  const values = findFailing(data, nowMs);
  const isRead = data.status !== null && data.syncs !== null;
  const gap = data.refused.get('failing sources');
  return {
    ...toPanelRows(values, COLUMNS, ({ key, place, what, details, failure }) => ({
      key,
      title: `${place}: ${what}`,
      syncId: failure?.id ?? null,
      renderPage: (width) => details.flatMap((text) => [...wrapText(text, width), '']).join('\n'),
    })),
    title: 'Failing',
    summary: [
      ...countOf(values.filter(({ tone }) => tone === 'bad').length, 'failing'),
      ...countOf(values.filter(({ tone }) => tone === 'warn').length, 'to look at'),
      ...(gap === undefined ? [] : ['incidents are not readable']),
    ].join(', '),
    whenEmpty: isRead ? (gap ?? 'Nothing fails at the moment.') : 'Reading …',
  };
}

const COLUMNS: readonly Column<Failing>[] = [
  { header: 'WHERE', cell: ({ place }) => ({ text: place }) },
  { header: 'WHAT', cell: ({ what, tone }) => ({ text: what, tone }), canShrink: true, enoughWidth: 30 },
  { header: 'WHY, OR WHAT TO DO', cell: ({ advice }) => ({ text: advice }), canShrink: true, enoughWidth: 10 },
];

function findFailing(data: TopData, nowMs: number): Failing[] {
  const { status, syncs } = data;
  const shares = countFailures(syncs ?? [], nowMs - HOUR_MS, ({ sourceId }) => sourceId);
  const failing = data.failing ?? [];
  const failingIds = new Set(failing.map(({ sourceId }) => sourceId));
  const issue = (tone: Tone) => {
    return ({
      code,
      message,
      remediation,
      docUrl,
      connectionId,
      crm,
    }: NonNullable<typeof status>['blockers'][number]): Failing => ({
      key: `${code} ${connectionId}`,
      place: `connection ${connectionId} ${crm}`,
      what: code,
      tone,
      advice: remediation,
      details: [message, `Fix: ${remediation}`, docUrl],
      failure: null,
    });
  };
  return [
    ...(status?.blockers ?? []).map(issue('bad')),
    ...failing.map(({ connectionId, sourceId, platform, since, reason, remediation }): Failing => {
      const share = shares.get(sourceId);
      return {
        key: `source ${connectionId} ${sourceId}`,
        place: `source ${sourceId} ${platform}`,
        what: `failing for ${toAge(since, nowMs)}${share === undefined ? '' : `, ${describe(share)}`}`,
        tone: 'bad',
        advice: reason,
        details: [
          `Connection: ${connectionId}`,
          `Since: ${toMinute(since)}`,
          `Reason: ${reason}`,
          `Fix: ${remediation}`,
          `See: svc syncs list --source ${sourceId} --status error --since ${since.slice(0, 10)}`,
        ],
        failure:
          share?.newestFailure ?? syncs?.find((sync) => sync.sourceId === sourceId && sync.status === 'error') ?? null,
      };
    }),
    ...(status === null ? [] : findProblems(status, [])).map(
      ({ connectionId, crm, title, meaning, details }): Failing => {
        const texts = details.map(({ label, text }) => `${label}: ${text}`);
        return {
          key: `${title} ${connectionId}`,
          place: `connection ${connectionId} ${crm}`,
          what: title,
          tone: 'bad',
          advice: details[0]?.text ?? meaning,
          details: [meaning, ...texts],
          failure: null,
        };
      },
    ),
    ...[...shares]
      .filter(([sourceId]) => !failingIds.has(sourceId))
      .map(([sourceId, share]): Failing => {
        const { connectionId, platform, error } = share.newestFailure;
        return {
          key: `failures ${sourceId}`,
          place: `source ${sourceId} ${platform}`,
          what: describe(share),
          tone: 'warn',
          advice: error === null ? '' : errorMessage(error),
          details: [
            `Connection: ${connectionId}`,
            `Newest error, of sync ${share.newestFailure.id}: ${errorMessage(error)}`,
            `See: svc syncs list --source ${sourceId} --status error --since 1h`,
          ],
          failure: share.newestFailure,
        };
      }),
    ...(status === null ? [] : otherWarnings(status)).map(issue('warn')),
  ];
}

function describe({ failed, all }: FailureShare): string {
  return `${failed} of ${all} syncs failed in 1h`;
}

function countOf(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}`];
}
