/** Reading what happened before a source was connected. */
import { backfillSourceJob } from '@svc/engine/backfill/backfill-source';
import { enqueue } from '@svc/engine/queue/queue';
import {
  type BackfillRun,
  endBackfillRun,
  insertBackfillRun,
  listBackfillRuns,
  STOPPED_BY_OPERATOR,
} from '@svc/engine/store/backfill-runs';
import { WORKER_LOCK } from '@svc/engine/store/database/db';
import { isAnnounced } from '@svc/engine/store/database/session';
import { listSourceWirings } from '@svc/engine/store/source-wirings';
import * as declared from '../declared/backfills.ts';
import { findSourceFacts } from '../store/sources.ts';
import { AdminError, conflict, existing, invalidInput } from './admin-error.ts';
import { parseOperatorInstant } from './instants.ts';
import { implement } from './operation.ts';
import { assertWritable } from './requests.ts';
import { chooseKey } from './source-webhooks.ts';

export const backfillSource = implement(declared.backfillSource, async (ctx, input) => {
  const { sourceId, forward: isForwarding, dryRun: isDryRun } = input;
  const source = existing(await findSourceFacts(ctx.db, sourceId), 'source', sourceId);
  if ((await ctx.sequencerHistory(source.platform)) === undefined) {
    const { HISTORY_PLATFORMS, whyNoHistory } = await import('@svc/sequencers/history');
    throw invalidInput(`${whyNoHistory(source.platform)} It is read of ${HISTORY_PLATFORMS.join(', ')}.`);
  }
  const now = ctx.clock.now();
  const from = parseOperatorInstant('since', input.since, { now, ages: 'past' });
  const until = input.until === undefined ? now : parseOperatorInstant('until', input.until, { now, ages: 'past' });
  if (until <= from) throw invalidInput('until: must be later than since');
  // What happens from now on is posted.
  if (until > now) throw invalidInput('until: must not be in the future');
  if (!isDryRun) await assertWritable(ctx, source.connectionId, isForwarding);
  const wiring = (await listSourceWirings(ctx.db, [sourceId])).get(sourceId);
  const key = await chooseKey(ctx, source, input.sequencerKeyId ?? wiring?.sequencerKeyId);
  // A source that gets the posts of one campaign only does not get past activity of the others either.
  const campaignId = wiring?.campaignId ?? null;
  const run = await ctx.db.transaction(async (tx) => {
    const wanted = { sourceId, sequencerKeyId: key.id, campaignId, from, until, isForwarding, isDryRun };
    const inserted = await insertBackfillRun(tx, wanted, now);
    if (inserted !== null) await enqueue(tx, backfillSourceJob(inserted.id, source.connectionId, now));
    return inserted;
  });
  if (run === null) {
    throw conflict(
      `Another backfill of source ${sourceId} is under way: svc-server sources backfill --status shows it, --stop RUN stops it.`,
    );
  }
  const isServed = ctx.areWorkersRunning() || (await isAnnounced(ctx.db, WORKER_LOCK));
  return {
    run: toRun(run),
    notices: isServed ? [] : ['No server is running: the activity is read once svc-server start runs.'],
  };
});

const RUNS_MAX = 100;

export const listBackfills = implement(declared.listBackfills, async (ctx, { sourceId, runId }) => {
  const runs = await listBackfillRuns(ctx.db, { sourceId, runId, limit: RUNS_MAX });
  return { runs: runs.map(toRun) };
});

export const stopBackfill = implement(declared.stopBackfill, async (ctx, { id: runId }) => {
  const isStopped = await endBackfillRun(ctx.db, runId, STOPPED_BY_OPERATOR, ctx.clock.now());
  const [run] = await listBackfillRuns(ctx.db, { runId, limit: 1 });
  if (!run) {
    throw new AdminError(
      'not_found',
      `There is no backfill ${runId}: svc-server sources backfill --status shows them.`,
    );
  }
  if (!isStopped) throw conflict(`Backfill ${runId} has ended already.`);
  return { run: toRun(run) };
});

function toRun(run: BackfillRun): declared.AdminBackfill {
  const { from: since, isForwarding: forward, isDryRun: dryRun, cursor: _cursor, ...rest } = run;
  return { ...rest, since, forward, dryRun };
}
