/**
 * The rows that configuration files describe, with their names. A row without a name is called by its kind and id, such as `smartlead-7`: the
 * same name at each export, until somebody gives it another one.
 */
import { ROUND_INTERVAL_MS } from '@svc/domain/blocklists/blocklist-schedule';
import type { Db } from '@svc/engine/store/database/db';
import { updateRow } from '@svc/engine/store/database/rows';

export const CONFIG_KINDS = [
  'account',
  'sequencer-key',
  'webhook',
  'connection',
  'source',
  'destination',
  'relay',
  'blocklist',
] as const;
export type ConfigKind = (typeof CONFIG_KINDS)[number];

/** Minutes between the rounds of a block list that says nothing else. */
export const ROUND_MINUTES = ROUND_INTERVAL_MS / 60_000;

export interface ConfigRow {
  /** Text for webhooks. */
  id: number | string;
  /** The row that it belongs to; null for an account. */
  parentId: number | null;
  name: string;
  /** As a configuration file has them. Bindings are named by ids here. */
  fields: Record<string, unknown>;
  /** The encrypted secret. */
  sealed: string | null;
}

const latest = (table: string, column: string, condition: string) =>
  `(select nullif(${column}, 'null') from ${table} where ${condition} order by version desc limit 1)`;

const OF_ACCOUNT = 'r.connection_id in (select id from connections where account_id = any($1))';

/** By kind: the table, what its row belongs to, the name of a row without one, before its id, fields, and the secret. */
const KINDS: Readonly<
  Record<ConfigKind, { table: string; parent: string; of: string; unnamed: string; fields: string; sealed: string }>
> = {
  account: {
    ...{ table: 'accounts', parent: 'null::bigint', of: 'r.id = any($1)', unnamed: "'account'", sealed: 'null::text' },
    fields: "'email', r.email, 'webhooks', r.can_use_webhooks",
  },
  'sequencer-key': {
    ...{ table: 'sequencer_keys', parent: 'r.account_id', of: 'r.account_id = any($1)', unnamed: "'key'" },
    ...{ sealed: 'r.token', fields: "'platform', r.platform, 'instanceUrl', r.instance_url" },
  },
  webhook: {
    ...{ table: 'webhooks', parent: 'r.account_id', of: 'r.account_id = any($1) and r.deleted_at is null' },
    ...{ unnamed: "'webhook'", sealed: 'r.secret' },
    fields: "'url', r.url, 'description', r.description, 'events', r.enabled_events, 'active', r.is_active",
  },
  connection: {
    ...{ table: 'connections', parent: 'r.account_id', of: 'r.account_id = any($1)', unnamed: 'lower(r.crm)' },
    sealed: 'r.crm_token',
    fields: `'crm', r.crm, 'organizationId', r.organization_id, 'organizationDomain', r.organization_domain,
      'capabilities.api', r.can_use_api, 'capabilities.sync', r.capability_sync,
      'capabilities.destinations', r.capability_destinations, 'capabilities.blocklists', r.capability_blocklists,
      'policy', ${latest('write_policies', 'policy', 'connection_id = r.id and source_id is null')}`,
  },
  source: {
    ...{ table: 'sources', parent: 'r.connection_id', of: OF_ACCOUNT, unnamed: 'r.platform', sealed: 'r.secrets' },
    fields: `'platform', r.platform, 'createOrUpdateCompany', r.create_or_update_company,
      'createOrUpdateTask', r.create_or_update_task, 'assignContactOwner', r.assign_contact_owner,
      'writeStateFields', r.write_state_fields, 'salesforceObjectType', r.salesforce_object_type,
      'secret', case when r.requires_secret then 'unreadable' end,
      'mapping', ${latest('source_mappings', 'mapping', 'source_id = r.id')},
      'policy', ${latest('write_policies', 'policy', 'source_id = r.id')}`,
  },
  destination: {
    ...{ table: 'destinations', parent: 'r.connection_id', of: OF_ACCOUNT, unnamed: "'destination'" },
    sealed: 'null::text',
    fields: `'url', r.url, 'description', r.description, 'sources', coalesce((select json_agg(json_build_object(
        'source', source_id, 'events', event_types, 'delayed', is_delayed)) from destination_bindings
        where destination_id = r.id), '[]')`,
  },
  relay: {
    ...{ table: 'reply_relays', parent: 'r.connection_id', of: OF_ACCOUNT, unnamed: "'relay'", sealed: 'null::text' },
    fields: `'ccEmail', r.cc_email, 'delayMinutes', r.delay_minutes, 'description', r.description,
      'bodyTemplates', r.body_templates, 'categories', r.category_allowlist, 'routes', r.routes, 'sources', coalesce((select
        json_agg(source_id) from reply_relay_bindings where reply_relay_id = r.id), '[]')`,
  },
  blocklist: {
    ...{ table: 'blocklists', parent: 'r.connection_id', of: OF_ACCOUNT, unnamed: "'blocklist'" },
    sealed: 'r.sequencer_token',
    fields: `'listName', r.list_name, 'crmListId', r.crm_list_id, 'platform', r.platform, 'type', r.block_type,
      'clientId', r.client_id, 'instanceUrl', r.instance_url,
      'key', (select name from sequencer_keys where id = r.sequencer_key_id),
      'suppress', coalesce(r.suppresses, '[]'), 'every', coalesce(r.every_minutes, ${ROUND_MINUTES}), 'remove', r.removes`,
  },
};

/** Returns the rows of a kind that belong to these accounts, by ascending id. @param locks until the transaction ends */
export async function listConfigRows(
  db: Db,
  kind: ConfigKind,
  accountIds: readonly number[],
  { locks = false } = {},
): Promise<ConfigRow[]> {
  const { table, parent, of, unnamed, fields, sealed } = KINDS[kind];
  const { rows } = await db.query<ConfigRow>(
    `select r.id, ${parent} as "parentId", coalesce(r.name, ${unnamed} || '-' || replace(lower(r.id::text), '_', '-')) as name,
        json_build_object(${fields}) as fields, ${sealed} as sealed
      from ${table} as r where ${of} order by r.id${locks ? ' for update of r' : ''}`,
    [accountIds],
  );
  return rows;
}

/** Names a row. A name that is made of its kind and id is not stored. */
export async function setConfigName(tx: Db, kind: ConfigKind, id: number | string, name: string): Promise<void> {
  await updateRow(tx, KINDS[kind].table, id, { name });
}
