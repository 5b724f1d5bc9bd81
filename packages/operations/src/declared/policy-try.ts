/** A dry run of a write policy (docs/policy.md). */
import type { LastValues } from '@svc/domain/policy/last-values';
import type { OutcomePlan } from '@svc/domain/policy/outcomes';
import type { WritePlan } from '@svc/domain/policy/plan-write';
import type { PlannedField } from '@svc/domain/policy/planned-fields';
import { INBOUND_BODY_BYTES_MAX } from '@svc/domain/syncs/inbound-post';
import type { DryCall, DryRun } from '@svc/engine/crm/dry-run';
import * as z from 'zod';
import { declare, flagged, list, notices } from './declare.ts';
import { id, oneOf } from './fields.ts';
import { policyField } from './policy-field.ts';

/** What would be written of one event. */
export interface TriedWrite {
  eventType: string;
  toEmail: string;
  /** `held`: it waits until its lead is released, and is then written so. `nothing`: the CRM is not called. */
  decision: 'written' | 'held' | 'nothing';
  plan: WritePlan;
  /** Values of the properties that the policy names. */
  fields: readonly PlannedField[];
  /** As if nothing had happened before; null: none are written. */
  lastValues: LastValues | null;
  /** Null when the CRM is not called. */
  outcome: DryRun['outcome'] | null;
  calls: readonly DryCall[];
}

export const tryPolicy = declare({
  name: 'sources/try-policy',
  command: 'sources policy try',
  description: 'show call by call what would be written of an event; calls and stores nothing',
  details:
    'The connector runs against a CRM that is simulated in the process. See [write policies](../../docs/policy.md).',
  example: '1 --request 5012 --policy replies-only.yaml',
  permission: 'read',
  input: z.strictObject({
    id: oneOf('source'),
    requestId: id.meta(flagged('--request <id>', 'a request that the source received')).optional(),
    payload: z
      .string('must be text')
      .max(INBOUND_BODY_BYTES_MAX, 'is too large')
      .meta(flagged('--payload <file>', 'a payload as the sequencer posts it', { file: 'text' }))
      .optional(),
    policy: policyField
      .meta(flagged('--policy <file>', "a policy to try instead of the source's own", { file: 'yaml' }))
      .optional(),
    connectionPolicy: policyField
      .meta(
        flagged('--connection-policy <file>', 'a policy to try instead of that of its connection', { file: 'yaml' }),
      )
      .optional(),
    contact: z
      .enum(['known', 'unknown'])
      .default('unknown')
      .meta(flagged('--contact <state>', 'whether the CRM has the contact already')),
  }),
  result: { writes: list<TriedWrite>(), notices },
  print: ({ writes }) => writes.map(describe).join('\n\n'),
});

const DECISIONS: Readonly<Record<TriedWrite['decision'], string>> = {
  written: 'is written',
  held: 'waits until its lead is released, and is then written so',
  nothing: 'is not written: no rule asks for anything',
};

function describe({ eventType, toEmail, decision, plan, fields, lastValues, outcome, calls }: TriedWrite): string {
  const { writes, mayCreate, owner, outcomes } = plan;
  const filled = fields.filter(({ valueOfNew }) => valueOfNew !== null);
  const targets = Object.entries(writes).flatMap(([target, isWritten]) => (isWritten ? [target] : []));
  const facts = [
    `${eventType} of ${toEmail} ${DECISIONS[decision]}.`,
    ...(decision === 'nothing'
      ? []
      : [`Written: ${targets.join(', ')}. An unknown contact is ${mayCreate ? '' : 'not '}created.`]),
    ...(owner === null || decision === 'nothing'
      ? []
      : [`Owner: the first of ${owner.candidates.join(', ')} that the CRM has as a user.`]),
    ...(filled.length === 0 || decision === 'nothing'
      ? []
      : [`Fields: ${filled.map(({ property, write }) => `${property} (${write})`).join(', ')}.`]),
    ...(lastValues === null || decision === 'nothing' ? [] : [`Last values: ${Object.keys(lastValues).join(', ')}.`]),
    ...(outcomes === null || decision === 'nothing' ? [] : [`Outcomes: ${describeOutcomes(outcomes).join(', ')}.`]),
    ...(outcome === null
      ? []
      : [outcome.status === 'success' ? 'Result: success' : `Result: ${outcome.status}, ${outcome.error.message}`]),
  ];
  const shown = calls.map(({ method, path, body }, index) =>
    [
      `${index + 1}. ${method} ${path}`,
      ...(body === null ? [] : [indent(typeof body === 'string' ? body : JSON.stringify(body, null, 2))]),
    ].join('\n'),
  );
  return [...facts, ...shown].join('\n');
}

function describeOutcomes({ leadStatus, lifecycleStage, campaigns, lists, deals, tasks }: OutcomePlan): string[] {
  return [
    ...(leadStatus === null ? [] : [`lead status ${leadStatus}`]),
    ...(lifecycleStage === null ? [] : [`lifecycle stage ${lifecycleStage}`]),
    ...campaigns.map(({ id, status }) => `member of campaign ${id}${status === null ? '' : ` (${status})`}`),
    ...lists.map((list) => `list ${list}`),
    ...deals.map(({ pipeline, stage }) => `a deal in ${stage}${pipeline === null ? '' : ` of ${pipeline}`}`),
    ...tasks.map(({ subject }) => `a task "${subject}"`),
  ];
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '   ');
}
