/** What of a write policy never happens: its events are not written, or the CRM has nothing like it. */
import type { Crm } from '@svc/contract/vocabulary';
import { eventTypesOf } from '@svc/domain/policy/last-values';
import { type OutcomeRule, WRITE_TARGETS, type WritePolicy, type WriteTarget } from '@svc/domain/policy/write-policy';

export type EventRule = NonNullable<WritePolicy['events']>[number];

/** Returns the rule by which no event of a type has a target; null when some may have it. */
function leavingOut(type: string, targets: readonly WriteTarget[], rules: readonly EventRule[]): number | null {
  for (const [index, { when, write }] of rules.entries()) {
    const { types, ...others } = when;
    if (types?.includes(type) === false) continue;
    if (targets.some((target) => write.includes(target))) return null;
    if (Object.keys(others).length === 0) return index;
  }
  return null;
}

/** Only of values that are named one by one. */
export function noticesOfLastValues(named: WritePolicy['lastValues'], rules: readonly EventRule[]): string[] {
  if (!Array.isArray(named)) return [];
  return named.flatMap((name) => {
    const types = eventTypesOf(name);
    const [rule] = types.map((type) => leavingOut(type, ['fields'], rules));
    const isNeverKnown = types.every((type) => leavingOut(type, ['fields'], rules) !== null);
    return isNeverKnown
      ? [`lastValues: ${name} is never known, because events.${rule} writes no fields of ${types.join(', ')}.`]
      : [];
  });
}

export function noticesOfOutcome(
  { when, campaign, list, lifecycleStage }: OutcomeRule,
  place: string,
  rules: readonly EventRule[],
  crm: string | undefined,
): string[] {
  const { types = [] } = when;
  const leftOut = types.filter((type) => leavingOut(type, WRITE_TARGETS, rules) !== null);
  const onlyIn = (wanted: Crm, part: string, given: unknown) =>
    given === undefined || crm === undefined || crm === wanted
      ? []
      : [`${place}.${part}: only ${wanted} has this, so it is left out in ${crm}.`];
  return [
    ...(types.length > 0 && leftOut.length === types.length
      ? [`${place}: it never happens, because the part events writes nothing of ${leftOut.join(', ')}.`]
      : []),
    ...onlyIn('SALESFORCE', 'campaign', campaign),
    ...onlyIn('HUBSPOT', 'list', list),
    ...onlyIn('HUBSPOT', 'lifecycleStage', lifecycleStage),
  ];
}
