/**
 * Statements about write policies: what of a source's events reaches the CRM. A policy is that of a source or that of a connection, which
 * its sources inherit part by part (`mergePolicies`). The latest version of each holds; earlier ones stay for reference. A version without a
 * policy, which is the JSON value null, ends the earlier ones.
 */
import type { SourceSwitches } from '@svc/domain/policy/plan-write';
import type { WritePolicy } from '@svc/domain/policy/write-policy';
import type { Db } from './database/db.ts';
import { jsonOfFields } from './database/rows.ts';
import { toStorableJson } from './database/storable-json.ts';
import { SOURCE_CONFIG_FIELDS } from './sources.ts';

/** The source or the connection that a policy belongs to. */
export interface PolicyOwner {
  connectionId: number;
  /** Null: the policy of the connection itself. */
  sourceId: number | null;
}

export interface PolicyVersion {
  version: number;
  /** Null when the policy was removed. */
  policy: WritePolicy | null;
  createdAt: Date;
}

/** The columns of `sources` that are switches. */
export const SWITCH_FIELDS: readonly string[] = [...SOURCE_CONFIG_FIELDS, 'writeStateFields'];

/** SQL for the latest policy of a source. @param source the table or its alias @param what default: the policy itself */
export function sourcePolicySql(source: string, what = 'policy'): string {
  return latestSql(what, `source_id = ${source}.id`);
}

/** SQL for the latest policy of the connection of a source, as `sourcePolicySql`. */
export function connectionPolicySql(source: string, what = 'policy'): string {
  return latestSql(what, `connection_id = ${source}.connection_id and source_id is null`);
}

function latestSql(what: string, condition: string): string {
  return `(select ${what} from write_policies where ${condition} order by version desc limit 1)`;
}

/** What decides what is written of a source's events. */
export interface PolicyOfSource {
  accountId: number;
  connectionId: number;
  crm: string;
  switches: SourceSwitches;
  /** The latest version of the source, and of its connection; null without one. */
  own: Omit<PolicyVersion, 'createdAt'> | null;
  inherited: Omit<PolicyVersion, 'createdAt'> | null;
}

/** Returns what decides what is written of a source's events; null when there is no such source. */
export async function findPolicyOfSource(db: Db, sourceId: number): Promise<PolicyOfSource | null> {
  const version = "json_build_object('version', version, 'policy', policy)";
  const { rows } = await db.query<PolicyOfSource>(
    `select connections.account_id as "accountId", sources.connection_id as "connectionId", connections.crm,
        ${jsonOfFields('sources', SWITCH_FIELDS)} as switches,
        ${sourcePolicySql('sources', version)} as own, ${connectionPolicySql('sources', version)} as inherited
      from sources join connections on connections.id = sources.connection_id where sources.id = $1`,
    [sourceId],
  );
  return rows[0] ?? null;
}

/**
 * SQL for one part of the policy that holds for a source, as `mergePolicies` finds it; null when neither policy has it, and when the part is
 * null.
 *
 * @param source the table or its alias
 */
export function policyPartSql(source: string, part: keyof WritePolicy): string {
  return `(select nullif(case when own ? '${part}' then own else inherited end -> '${part}', 'null') from (
    select ${sourcePolicySql(source)} as own, ${connectionPolicySql(source)} as inherited) policies)`;
}

/** Adds a version, which holds for events that are written from now on, and returns its number. */
export async function insertPolicy(
  tx: Db,
  { connectionId, sourceId }: PolicyOwner,
  policy: WritePolicy | null,
  now: Date,
): Promise<number> {
  // Two calls at the same time get different versions.
  await tx.query('select from connections where id = $1 for no key update', [connectionId]);
  const { rows } = await tx.query<{ version: number }>(
    `insert into write_policies (connection_id, source_id, version, policy, created_at)
      select $1, $2, coalesce(max(version), 0) + 1, $3::jsonb, $4 from write_policies
        where connection_id = $1 and source_id is not distinct from $2::bigint
      returning version`,
    [connectionId, sourceId, toStorableJson(policy), now],
  );
  return rows[0]?.version ?? 0;
}

/** Returns the versions, newest first. */
export async function listPolicyVersions(db: Db, { connectionId, sourceId }: PolicyOwner): Promise<PolicyVersion[]> {
  const { rows } = await db.query<PolicyVersion>(
    `select version, policy, created_at as "createdAt" from write_policies
      where connection_id = $1 and source_id is not distinct from $2::bigint order by version desc`,
    [connectionId, sourceId],
  );
  return rows;
}
