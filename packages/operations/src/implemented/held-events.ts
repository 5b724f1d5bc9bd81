/** Events that a write policy holds until their lead answers or gets a category (docs/policy.md). */
import {
  type HeldSelection,
  countHeldEvents,
  dropSelectedEvents,
  listHeldLeads,
  lockHolds,
} from '@svc/engine/store/held-events';
import { findSourcePlatform } from '@svc/engine/store/sources';
import { releaseLeads } from '@svc/engine/pipeline/hold-events';
import type { Db } from '@svc/engine/store/database/db';
import * as declared from '../declared/held-events.ts';
import { countOf } from '../declared/removal.ts';
import { AdminError, existing, invalidInput } from './admin-error.ts';
import { implement } from './operation.ts';

/** Returns the leads whose events wait. */
export const listHeldEvents = implement(declared.listHeldEvents, async (ctx, { limit, ...input }) => {
  const selection = await select(ctx.db, input);
  const { events, leads: leadCount, since } = await countHeldEvents(ctx.db, selection);
  const leads = await listHeldLeads(ctx.db, selection, limit);
  return {
    events,
    leadCount,
    since,
    leads: leads.map(({ recipient, ...lead }) => ({ ...lead, lead: recipient })),
  };
});

/** Gives the events that wait their jobs. */
export const releaseHeldEvents = implement(declared.releaseHeldEvents, async (ctx, input) => {
  const selection = await select(ctx.db, named(input));
  const notices = ctx.areWorkersRunning() ? [] : ['They are written when a server with workers runs.'];
  const released = await releaseLeads(ctx, selection);
  return { id: input.id, ...released, notices: released.events === 0 ? [] : notices };
});

/** Deletes what waits. The events stay stored. */
export const dropHeldEvents = implement(declared.dropHeldEvents, async (ctx, input) => {
  const { id, isConfirmed } = input;
  const selection = await select(ctx.db, named(input));
  if (isConfirmed) {
    const events = await ctx.db.transaction(async (tx) => {
      await lockHolds(tx, [id]);
      return dropSelectedEvents(tx, selection);
    });
    return { id, events };
  }
  const { events, leads } = await countHeldEvents(ctx.db, selection);
  throw new AdminError(
    'not_confirmed',
    `${countOf(events, 'events')} of ${countOf(leads, 'leads')} would never be written to the CRM. Nothing is dropped yet: confirm with --yes.`,
  );
});

interface Selected {
  id: number;
  lead?: string | undefined;
  campaign?: string | undefined;
}

/** @throws AdminError when nothing says which events */
function named<Input extends Selected & { isAll: boolean }>(input: Input): Input {
  const { lead, campaign, isAll } = input;
  if (isAll !== (lead === undefined && campaign === undefined)) {
    throw invalidInput('Say which events: --lead, --campaign or both, or --all.');
  }
  return input;
}

/** @throws AdminError when there is no such source */
async function select(db: Db, { id, lead, campaign }: Selected): Promise<HeldSelection> {
  existing(await findSourcePlatform(db, id), 'source', id);
  return {
    sourceId: id,
    recipient: lead?.trim().toLowerCase() ?? null,
    campaigns: campaign === undefined ? null : [...new Set([campaign.trim(), campaign.trim().toLowerCase()])],
  };
}
