/** The doctor's check of write policies: whether the CRM still has what they name. It asks a CRM at most once a week while they stay the same. */
import { comparePolicy, namesPartsOfCrm } from '../implemented/compare-policy.ts';
import { askCrm, crmName, isFailed } from '../implemented/ask-crm.ts';
import type { AdminContext } from '../implemented/operation.ts';
import {
  listPoliciesToCompare,
  type PolicyComparison,
  type PolicyToCompare,
  readComparisons,
  storeComparison,
} from '../store/policy-checks.ts';
import { type Check, pass, warn } from './check.ts';

const NAME = 'policies';
const WEEK_MS = 7 * 24 * 60 * 60_000;
/** Policies that are looked at. */
const POLICIES_MAX = 500;
/** CRMs that one call asks: more would take longer than a caller waits. */
const ASKED_MAX = 10;
const SHOWN_MAX = 50;

/** Returns one line for each policy that no longer fits, and one when CRMs could not be asked. */
export async function checkPolicies(ctx: AdminContext): Promise<Check[]> {
  const policies = (await listPoliciesToCompare(ctx.db, POLICIES_MAX)).filter(({ policy }) => namesPartsOfCrm(policy));
  const byConnection = Map.groupBy(policies, ({ connectionId }) => connectionId);
  const known = await readComparisons(ctx.db, [...byConnection.keys()]);
  const problems: string[] = [];
  const unasked: string[] = [];
  let asked = 0;
  // Those that were asked longest ago come first, so that CRMs that do not answer keep no other one waiting.
  const askedAt = ([connectionId]: readonly [number, unknown]) => Date.parse(known.get(connectionId)?.at ?? '') || 0;
  for (const [connectionId, ofConnection] of [...byConnection].toSorted((a, b) => askedAt(a) - askedAt(b))) {
    const latest = known.get(connectionId);
    if (latest !== undefined && isCurrent(latest, ofConnection, ctx.clock.now())) problems.push(...latest.problems);
    else if (asked === ASKED_MAX) unasked.push(`connection ${connectionId}`);
    else {
      asked += 1;
      const compared = await compare(ctx, ofConnection);
      if (typeof compared === 'string') unasked.push(`connection ${connectionId} (${compared})`);
      else problems.push(...compared);
    }
  }
  const fix = 'Change the policy, or the CRM; svc-server sources policy check FILE --source ID compares it at once.';
  return [
    ...problems.slice(0, SHOWN_MAX).map((problem) => warn(NAME, problem, fix)),
    ...(problems.length > SHOWN_MAX ? [warn(NAME, `there are ${problems.length - SHOWN_MAX} more`, fix)] : []),
    ...(unasked.length === 0 ? [] : [pass(NAME, `not compared with the CRM yet: ${unasked.join(', ')}`)]),
  ];
}

function isCurrent(
  { at, policies: compared }: PolicyComparison,
  policies: readonly PolicyToCompare[],
  now: Date,
): boolean {
  const isSame = policies.length === compared.length && policies.every(({ key }) => compared.includes(key));
  return isSame && now.getTime() - Date.parse(at) < WEEK_MS;
}

/** Returns what does not fit, or why the CRM could not be asked. @param policies of one connection */
async function compare(ctx: AdminContext, policies: readonly PolicyToCompare[]): Promise<string[] | string> {
  const [first] = policies;
  if (first === undefined || ctx.crmSetup(first.crm) === undefined) return [];
  const { connectionId, crm } = first;
  const schema = await askCrm(ctx, { id: connectionId, crm }, (setup, { access }) => setup.describe(access));
  const at = ctx.clock.now().toISOString();
  if (isFailed(schema)) {
    await storeComparison(ctx.db, connectionId, { at, policies: [], problems: [] });
    return schema.error.message.replace(/\.$/, '');
  }
  const problems = policies.flatMap(({ sourceId, policy }) => {
    const whose = sourceId === null ? `connection ${connectionId}` : `source ${sourceId}`;
    return comparePolicy(policy, schema, crmName(crm)).misfits.map((misfit) => `the policy of ${whose}: ${misfit}`);
  });
  await storeComparison(ctx.db, connectionId, {
    at,
    policies: policies.map(({ key }) => key),
    problems,
  });
  return problems;
}
