import { SOURCE_CONFIG_DEFAULTS } from '@svc/contract/schemas';
import { type PlannedEvent, planWrite, type SourceSwitches, type WritePlan } from '@svc/domain/policy/plan-write';
import { writePolicySchema } from '@svc/domain/policy/write-policy';

const PLAIN: SourceSwitches = { ...SOURCE_CONFIG_DEFAULTS, writeStateFields: false };

/** What decides what is written of an event: switches that differ from those of a plain source, and the policy. */
export interface Deciders {
  source?: Partial<SourceSwitches> | undefined;
  /** As in a file. */
  policy?: object | undefined;
}

export function planOf(event: PlannedEvent, { source, policy = {} }: Deciders = {}): WritePlan {
  return planWrite({ ...PLAIN, ...source }, writePolicySchema.parse(policy), event);
}
