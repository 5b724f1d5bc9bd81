/** Reading what happened before a source was connected. */
import type { BackfillRun } from '@svc/engine/store/backfill-runs';
import * as z from 'zod';
import { declare, flagged, type InJson, list, notices, one } from './declare.ts';
import { id, when } from './fields.ts';
import { renderTable } from './table.ts';

export interface AdminBackfill extends Omit<BackfillRun, 'from' | 'isForwarding' | 'isDryRun' | 'cursor'> {
  since: Date;
  forward: boolean;
  dryRun: boolean;
}

export const backfillSource = declare({
  name: 'sources/backfill',
  description: 'read past activity of the sequencer as if it had been posted to the source',
  details:
    'For the platforms whose list has the events that they post ([backfill](../../docs/sequencers/backfill.md)). A server does it in the background; what was received before is not repeated. `--status` shows the runs, `--stop` stops one.',
  example: '7 --since 90d --dry-run',
  permission: 'write',
  input: z.strictObject({
    sourceId: id.meta(flagged('[id]', 'the source, as sources list shows it')),
    since: when(
      '--since <when>',
      'activity from then on: 90d, 1h30m, yesterday, 2027-01-31 or "2027-01-31 08:00" (UTC)',
    ),
    until: when('--until <when>', 'activity before then (default: now)').optional(),
    sequencerKeyId: id
      .meta(
        flagged(
          '--key <id>',
          'the key of svc-server sequencer-keys list (default: that of sources connect, or the only one of the account)',
        ),
      )
      .optional(),
    forward: z
      .boolean('must be true or false')
      .default(false)
      .meta(flagged('--forward', 'also forward new events to the destinations of the source')),
    dryRun: z
      .boolean('must be true or false')
      .default(false)
      .meta(flagged('--dry-run', 'only count what would be new, by month and type')),
  }),
  result: { run: one<AdminBackfill>(), notices },
  print: ({ run }) => ({
    text: `${run.dryRun ? 'Dry run' : 'Backfill'} ${run.id} reads the activity of source ${run.sourceId} from ${run.since} to ${run.until}, in the background.`,
    note: 'Progress: svc-server sources backfill --status. Ctrl-C does not stop it.',
  }),
});

export const listBackfills = declare({
  name: 'sources/backfills',
  command: null,
  description: 'list the runs that read past activity, newest first',
  permission: 'read',
  input: z.strictObject({ sourceId: id.optional(), runId: id.optional() }),
  result: { runs: list<AdminBackfill>() },
  print: ({ runs }) => (runs.length === 0 ? 'No past activity was read yet.' : runs.map(describeBackfill).join('\n\n')),
});

export const stopBackfill = declare({
  name: 'sources/stop-backfill',
  command: null,
  description: 'stop a run that reads past activity; what it has read stays',
  permission: 'write',
  input: z.strictObject({ id }),
  result: { run: one<AdminBackfill>() },
  print: ({ run }) => summarizeBackfill(run),
});

export function summarizeBackfill(run: InJson<AdminBackfill>): string {
  const { id: runId, sourceId, state, stopReason, waitsFor, dryRun, counts } = run;
  const { entries, newEvents, known, unparsed, ignored, forwardings, reasons } = counts;
  const end =
    state === 'stopped'
      ? `was stopped (${stopReason})`
      : state === 'done'
        ? 'is done'
        : waitsFor === null
          ? 'is under way'
          : `waits and tries again (${waitsFor})`;
  const parts = [
    `${newEvents} ${dryRun ? 'events would be new' : 'new events'}`,
    `${known} received before`,
    ...(forwardings === 0 ? [] : [`${forwardings} forwardings`]),
    ...(unparsed === 0 ? [] : [`${unparsed} not understood (${reasons.join('; ')})`]),
    ...(ignored === 0 ? [] : [`${ignored} ignored`]),
  ];
  return `${dryRun ? 'Dry run' : 'Backfill'} ${runId} of source ${sourceId} ${end}, ${entries} activities: ${parts.join(', ')}.`;
}

export function describeBackfill(run: InJson<AdminBackfill>): string {
  const rows = Object.entries(run.counts.months)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([month, types]) =>
      Object.entries(types)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([type, counted]) => ({ month, type, ...counted })),
    );
  const campaign = run.campaignId === null ? '' : ` of campaign ${run.campaignId}`;
  const lines = [
    summarizeBackfill(run),
    `  Activity${campaign} from ${run.since} to ${run.until}; begun at ${run.createdAt}.`,
  ];
  if (rows.length > 0) {
    const columns = {
      '  MONTH': ({ month }: (typeof rows)[number]) => `  ${month}`,
      TYPE: 'type',
      NEW: 'new',
      'RECEIVED BEFORE': 'known',
    } as const;
    lines.push(renderTable(rows, columns, ''));
  }
  return lines.join('\n');
}
