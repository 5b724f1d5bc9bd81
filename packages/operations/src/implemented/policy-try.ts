/** Shows what would be written of a payload, by the connector itself against a simulated CRM. */
import { createPayloadReader, hashBody, type InboundEvent, normalize } from '@svc/sequencers';
import { withReadyMapping } from '@svc/sequencers/mappings';
import { releasesLead } from '@svc/domain/policy/hold';
import { isWritten, mergePolicies, planWrite } from '@svc/domain/policy/plan-write';
import { stateOfEvent, valuesOf } from '@svc/domain/policy/last-values';
import { planFields } from '@svc/domain/policy/planned-fields';
import { parseInboundBody } from '@svc/domain/syncs/inbound-post';
import { dryRun } from '@svc/engine/crm/dry-run';
import { toValuedEvent } from '@svc/engine/pipeline/last-values';
import { listLatestCategories } from '@svc/engine/store/lead-categories';
import { listMappingVersions } from '@svc/engine/store/source-mappings';
import { findSourcePlatform } from '@svc/engine/store/sources';
import { findPolicyOfSource } from '@svc/engine/store/write-policies';
import type { CrmWrite } from '@svc/crm';
import * as declared from '../declared/policy-try.ts';
import { conflict, existing, invalidInput } from './admin-error.ts';
import { type AdminContext, implement } from './operation.ts';
import { readReceipt } from './source-receipt.ts';

export const tryPolicy = implement(declared.tryPolicy, async (ctx, input) => {
  const { id: sourceId, policy, connectionPolicy, contact } = input;
  const source = existing(await findPolicyOfSource(ctx.db, sourceId), 'source', sourceId);
  const holding = mergePolicies(
    policy ?? source.own?.policy ?? null,
    connectionPolicy ?? source.inherited?.policy ?? null,
  );
  const { platform, events, body, notices } = await readEvents(ctx, input);
  const fieldContext = { sequencer: platform, readPayload: createPayloadReader(body) };
  const categories = await listLatestCategories(
    ctx.db,
    { accountId: source.accountId, id: source.connectionId },
    events.map((event, id) => ({ id, platform, event })),
  );
  const now = ctx.clock.now();
  const writes = events.map((event, index): CrmWrite => {
    const plan = planWrite(source.switches, holding, event, categories.get(index));
    const only = toValuedEvent({ event, platform, receivedAt: now, source: { id: sourceId } });
    return {
      plan,
      fields: planFields(holding.fields ?? [], event, fieldContext),
      // As if nothing had happened before.
      lastValues: plan.lastValues && valuesOf(stateOfEvent(only), plan.lastValues),
      event,
      idempotencyKey: `${sourceId} ${event.eventKey}`,
      receivedAt: now,
      isRepeated: false,
    };
  });
  const called = writes.filter(({ plan }) => isWritten(plan));
  const runs = await dryRun(called, { crm: source.crm, areContactsKnown: contact === 'known', now: () => now });
  if (runs === null) throw conflict(`This release does not write to ${source.crm}.`);
  const runOf = new Map(called.map((write, index) => [write, runs[index]]));
  const { holdUntil = null } = holding;
  return {
    writes: writes.map((write): declared.TriedWrite => {
      const { plan, fields, lastValues, event } = write;
      const run = runOf.get(write);
      const isHeld = holdUntil !== null && !releasesLead(holdUntil, event);
      return {
        eventType: event.eventType,
        toEmail: event.toEmail,
        decision: run === undefined ? 'nothing' : isHeld ? 'held' : 'written',
        plan,
        fields,
        lastValues,
        outcome: run?.outcome ?? null,
        calls: run?.calls ?? [],
      };
    }),
    notices,
  };
});

async function readEvents(
  ctx: AdminContext,
  { id: sourceId, requestId, payload }: { id: number; requestId?: number | undefined; payload?: string | undefined },
): Promise<{ platform: string; events: readonly InboundEvent[]; body: unknown; notices: string[] }> {
  if ((requestId === undefined) === (payload === undefined)) {
    throw invalidInput('Name either a request that the source received or a payload.');
  }
  const [latest] = await listMappingVersions(ctx.db, sourceId);
  const platform = (await findSourcePlatform(ctx.db, sourceId)) ?? '';
  const reader = await withReadyMapping({ platform, mapping: latest?.mapping ?? null });
  const post = requestId === undefined ? toInput(payload ?? '') : await readReceipt(ctx.db, sourceId, requestId);
  const result = normalize(reader, post);
  if (result.outcome !== 'events')
    throw conflict(`The payload has no event to write (${result.outcome}): ${result.reason}`);
  return { platform: reader.platform, events: result.events, body: post.body, notices: [...result.notices] };
}

function toInput(payload: string) {
  return { headers: {}, body: parseInboundBody(payload, undefined), bodyHash: hashBody(Buffer.from(payload)) };
}
