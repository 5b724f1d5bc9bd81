/** Write policies: what of the events of a source, or of all sources of a connection, reaches the CRM (docs/policy.md). */
import type { CompletePolicy, SourceSwitches } from '@svc/domain/policy/plan-write';
import type { WritePolicy } from '@svc/domain/policy/write-policy';
import type { PolicyVersion } from '@svc/engine/store/write-policies';
import * as z from 'zod';
import { declare, flagged, list, notices, one } from './declare.ts';
import { id, oneOf } from './fields.ts';
import { policyField } from './policy-field.ts';

/** Where a part of a policy comes from: a version of a policy, the switches of the source (`sources update`), or nobody said anything. */
export type PartOrigin = 'source policy' | 'connection policy' | 'switches' | 'default';

export interface PolicyPart {
  name: keyof CompletePolicy;
  from: PartOrigin;
  /** The version of that policy; null when the part comes from no policy. */
  version: number | null;
}

const setDetails =
  'The file is JSON or YAML ([write policy](../../docs/policy.md)). It holds for events that are written from now on; earlier versions stay listed.';

/** Declares what sources and connections have in common: to show, to set and to list the versions of a policy. */
function declarePolicyOf<Kind extends 'source' | 'connection'>(kind: Kind) {
  const ofAll = kind === 'connection' ? ', which its sources inherit part by part' : '';
  return {
    show: declare({
      name: `${kind}s/show-policy` as const,
      command: `${kind}s policy show`,
      description: `show the write policy that holds for a ${kind}, and where each part comes from`,
      example: '7',
      permission: 'read',
      input: z.strictObject({ id: oneOf(kind) }),
      result: {
        policy: one<CompletePolicy>(
          'create',
          'events',
          'holdUntil',
          'owner',
          'associations',
          'fields',
          'lastValues',
          'outcomes',
        ),
        parts: list<PolicyPart>('name', 'from', 'version'),
        /** Null for a connection: each source has its own. */
        switches: one<SourceSwitches | null>(),
      },
    }),
    set: declare({
      name: `${kind}s/set-policy` as const,
      command: `${kind}s policy set`,
      description: `set the write policy of a ${kind}${ofAll}`,
      details: setDetails,
      example: '7 policy.yaml',
      permission: 'write',
      input: z.strictObject({
        id: oneOf(kind),
        policy: policyField.nullable().meta(flagged('[file]', 'the policy, as JSON or YAML', { file: 'yaml' })),
      }),
      result: { id: one<number>(), version: one<number>(), notices },
      print: ({ id: ownerId, version }, { policy }) =>
        policy === null
          ? `The ${kind} ${ownerId} has no write policy of its own from now on (version ${version}).`
          : `Version ${version} of its write policy holds for ${kind} ${ownerId}.`,
    }),
    history: declare({
      name: `${kind}s/policies` as const,
      command: `${kind}s policy history`,
      description: `show the versions of the write policy of a ${kind}`,
      example: '7 --show 2',
      permission: 'read',
      input: z.strictObject({ id: oneOf(kind) }),
      result: { versions: list<PolicyVersion>() },
    }),
  };
}

export const { show: showSourcePolicy, set: setSourcePolicy, history: listSourcePolicies } = declarePolicyOf('source');
export const {
  show: showConnectionPolicy,
  set: setConnectionPolicy,
  history: listConnectionPolicies,
} = declarePolicyOf('connection');

export const checkPolicy = declare({
  name: 'sources/check-policy',
  command: 'sources policy check',
  description: 'say what is wrong or doubtful in a write policy; stores nothing',
  details: 'Without `--source` it needs neither a server nor a database.',
  example: 'policy.yaml --source 7',
  permission: 'read',
  input: z.strictObject({
    policy: policyField.meta(flagged('<file>', 'the policy, as JSON or YAML', { file: 'yaml' })),
    sourceId: id.meta(flagged('--source <id>', 'also compare it with this source and its CRM')).optional(),
  }),
  result: { policy: one<WritePolicy>(), notices },
  print: ({ notices: doubts }) =>
    doubts.length === 0 ? 'The write policy is valid.' : 'The write policy is valid, but:',
});
