/** Write policies: what of the events of a source, or of all sources of a connection, reaches the CRM. */
import { completePolicy, mergePolicies, type SourceSwitches } from '@svc/domain/policy/plan-write';
import type { WritePolicy } from '@svc/domain/policy/write-policy';
import { releaseEndedHolds } from '@svc/engine/pipeline/hold-events';
import type { Db } from '@svc/engine/store/database/db';
import {
  findPolicyOfSource,
  insertPolicy,
  listPolicyVersions,
  type PolicyOfSource,
  type PolicyOwner,
} from '@svc/engine/store/write-policies';
import { noticesOf, type PolicyPlace } from '../declared/policy-notices.ts';
import * as declared from '../declared/write-policies.ts';
import { conflict, existing } from './admin-error.ts';
import { type AdminContext, implement } from './operation.ts';
import { assertPolicyFits } from './policy-fit.ts';
import { requireConnection } from './references.ts';

/** Shows what holds for the events of the source. */
export const showSourcePolicy = implement(declared.showSourcePolicy, async (ctx, { id }) => {
  const { own, inherited, switches } = await requireSource(ctx.db, id);
  return { ...describeParts(own, inherited, switches), switches };
});

export const showConnectionPolicy = implement(declared.showConnectionPolicy, async (ctx, { id }) => {
  const { id: connectionId } = await requireConnection(ctx.db, id);
  const [inherited = null] = await listPolicyVersions(ctx.db, { connectionId, sourceId: null });
  return { ...describeParts(null, inherited, { assignContactOwner: false }), switches: null };
});

/** Adds a version, which holds for events that are written from now on; null removes the policy. */
export const setSourcePolicy = implement(declared.setSourcePolicy, async (ctx, { id, policy }) => {
  const source = await requireSource(ctx.db, id);
  const doubts = policy === null ? [] : await doubtsOf(ctx, policy, source);
  const version = await setPolicy(ctx, { connectionId: source.connectionId, sourceId: id }, policy);
  const earlier = `Earlier events that no policy let through are written with svc-server requests reprocess --source ${id} --since 30d.`;
  return { id, version, notices: [...doubts, earlier] };
});

export const setConnectionPolicy = implement(declared.setConnectionPolicy, async (ctx, { id, policy }) => {
  const { id: connectionId, crm } = await requireConnection(ctx.db, id);
  const doubts = policy === null ? [] : await doubtsOf(ctx, policy, { connectionId, crm });
  const version = await setPolicy(ctx, { connectionId, sourceId: null }, policy);
  return { id, version, notices: doubts };
});

export const listSourcePolicies = implement(declared.listSourcePolicies, async (ctx, { id }) => {
  const { connectionId } = await requireSource(ctx.db, id);
  return { versions: await listPolicyVersions(ctx.db, { connectionId, sourceId: id }) };
});

export const listConnectionPolicies = implement(declared.listConnectionPolicies, async (ctx, { id }) => {
  const { id: connectionId } = await requireConnection(ctx.db, id);
  return { versions: await listPolicyVersions(ctx.db, { connectionId, sourceId: null }) };
});

export const checkPolicy = implement(declared.checkPolicy, async (ctx, { policy, sourceId }) => {
  if (sourceId === undefined) return { policy, notices: noticesOf(policy) };
  return { policy, notices: await doubtsOf(ctx, policy, await requireSource(ctx.db, sourceId)) };
});

/** Says what is doubtful in a policy, also to the CRM. @throws AdminError when the CRM does not have what it names */
async function doubtsOf(
  ctx: AdminContext,
  policy: WritePolicy,
  place: PolicyPlace & { connectionId: number; crm: string },
): Promise<string[]> {
  const { connectionId: id, crm } = place;
  return [...noticesOf(policy, place), ...(await assertPolicyFits(ctx, { id, crm }, policy))];
}

/** @throws AdminError when there is no policy to remove */
async function setPolicy(ctx: AdminContext, owner: PolicyOwner, policy: WritePolicy | null): Promise<number> {
  const [latest] = await listPolicyVersions(ctx.db, owner);
  if (policy === null && latest?.policy == null) {
    const whose = owner.sourceId === null ? `Connection ${owner.connectionId}` : `Source ${owner.sourceId}`;
    throw conflict(`${whose} has no write policy to remove.`);
  }
  const version = await ctx.db.transaction((tx) => insertPolicy(tx, owner, policy, ctx.clock.now()));
  await releaseEndedHolds({ db: ctx.db, clock: ctx.clock });
  return version;
}

function describeParts(
  own: PolicyOfSource['own'],
  inherited: PolicyOfSource['inherited'],
  switches: Pick<SourceSwitches, 'assignContactOwner'>,
) {
  const policy = completePolicy(mergePolicies(own?.policy ?? null, inherited?.policy ?? null), switches);
  // `completePolicy` returns no other keys than its parts.
  const names = Object.keys(policy) as declared.PolicyPart['name'][];
  const parts = names.map((name): declared.PolicyPart => {
    if (own?.policy?.[name] !== undefined) return { name, from: 'source policy', version: own.version };
    if (inherited?.policy?.[name] !== undefined) return { name, from: 'connection policy', version: inherited.version };
    return { name, from: name === 'owner' ? 'switches' : 'default', version: null };
  });
  return { policy, parts };
}

/** @throws AdminError when there is no such source */
async function requireSource(db: Db, sourceId: number): Promise<PolicyOfSource> {
  return existing(await findPolicyOfSource(db, sourceId), 'source', sourceId);
}
