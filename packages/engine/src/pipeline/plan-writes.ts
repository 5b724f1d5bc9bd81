/** What the write policies of the sources say of the events of a batch. */
import { isWritten, planWrite } from '@svc/domain/policy/plan-write';
import { planFields, type PlannedField, readsPayload } from '@svc/domain/policy/planned-fields';
import { createPayloadReader, type PayloadReader } from '@svc/sequencers';
import type { Context } from '../context.ts';
import { listLatestCategories } from '../store/lead-categories.ts';
import { readReceivedBodies } from '../store/received-bodies.ts';
import type { EventToWrite } from '../store/sync-attempts.ts';
import type { EventWrite } from './sync-results.ts';

type PlannedWrite = Pick<EventWrite, 'target' | 'plan' | 'fields'>;

/** Returns the plans of events by id, in their order. Those of which nothing is written are left out. @param targets of one connection */
export async function planWrites(
  ctx: Pick<Context, 'db'>,
  targets: ReadonlyMap<number, EventToWrite>,
): Promise<ReadonlyMap<number, PlannedWrite>> {
  const [first] = targets.values();
  if (first === undefined) return new Map();
  // Only such a policy asks what the lead is now.
  const asking = [...targets.values()].filter(({ source }) => typeof source.policy.create === 'object');
  const categories = await listLatestCategories(ctx.db, first.connection, asking);
  const planned = [...targets.values()].flatMap((target) => {
    const { id, source, event } = target;
    const plan = planWrite(source.switches, source.policy, event, categories.get(id) ?? null);
    return isWritten(plan) ? [{ target, plan }] : [];
  });
  const fields = await planFieldsOf(
    ctx,
    planned.map(({ target }) => target),
  );
  return new Map(planned.map((write) => [write.target.id, { ...write, fields: fields.get(write.target) ?? [] }]));
}

/** Reads received bodies only where a policy asks for a place in them. What is no longer stored has no value. */
async function planFieldsOf(
  { db }: Pick<Context, 'db'>,
  targets: readonly EventToWrite[],
): Promise<ReadonlyMap<EventToWrite, readonly PlannedField[]>> {
  const fields = new Map<EventToWrite, readonly PlannedField[]>();
  const plan = (target: EventToWrite, readPayload: PayloadReader) => {
    const { source, event, platform: sequencer } = target;
    fields.set(target, planFields(source.policy.fields ?? [], event, { sequencer, readPayload }));
  };
  for (const target of targets) plan(target, () => null);
  const byReceipt = Map.groupBy(
    targets.filter(({ source }) => readsPayload(source.policy.fields ?? [])),
    ({ requestId }) => requestId,
  );
  const receipts = [...byReceipt.values()].flatMap(([first]) => first ?? []);
  await readReceivedBodies(db, receipts, (requestId, body) => {
    const readPayload = createPayloadReader(body);
    for (const target of byReceipt.get(requestId) ?? []) plan(target, readPayload);
  });
  return fields;
}
