/** Does the steps of a plan with the operations that the other commands use, each with its entry in the audit log. */
import { releaseEndedHolds } from '@svc/engine/pipeline/hold-events';
import type { Database, Db } from '@svc/engine/store/database/db';
import { updateRow } from '@svc/engine/store/database/rows';
import { insertMapping } from '@svc/engine/store/source-mappings';
import { insertPolicy } from '@svc/engine/store/write-policies';
import type { EventMapping } from '@svc/domain/mappings/event-mapping';
import type { WritePolicy } from '@svc/domain/policy/write-policy';
import type { Declaration, ResultOf } from '../declared/declare.ts';
import * as bindings from '../store/bindings.ts';
import { type ConfigKind, setConfigName } from '../store/config-rows.ts';
import * as accounts from './accounts.ts';
import * as blocklists from './blocklists.ts';
import type { ConfigItem, FieldValue } from './config-items.ts';
import type { ConfigPlan, PlannedItem } from './config-plan.ts';
import { applyWebhook, removeWebhook } from './config-webhooks.ts';
import * as connections from './connections.ts';
import * as capabilities from './capabilities.ts';
import * as destinations from './destinations.ts';
import { type AdminContext, CONFIG_ACTOR, type Operation, perform } from './operation.ts';
import * as relays from './relays.ts';
import * as sequencerKeys from './sequencer-keys.ts';
import * as sourceSecrets from './source-secrets.ts';
import * as sources from './sources.ts';

interface Work {
  ctx: AdminContext;
  tx: Db;
  /** The ids of what the file names, by kind and path. */
  ids: Map<string, number>;
}

/** Does all steps in the transaction. */
export async function applySteps(ctx: AdminContext, tx: Db, plan: ConfigPlan): Promise<void> {
  const ids = new Map([...plan.known].map(([place, { row }]) => [place, Number(row.id)]));
  for (const { kind, name, row } of plan.unlisted) {
    // A destination or relay of the file may be bound to a source that the file does not name any more.
    const connection = [...plan.known].find(([place, item]) => isConnection(place) && item.row.id === row.parentId);
    if (kind === 'source' && connection !== undefined)
      ids.set(`source ${pathOf(connection[0])}/${name}`, Number(row.id));
  }
  const work: Work = { ctx: { ...ctx, db: inside(ctx.db, tx) }, tx, ids };
  // Before new ones, because an account has a limited number. It is one row, whose deliveries stay.
  for (const { stored } of plan.removals) if (stored.kind === 'webhook') await removeWebhook(work.ctx, tx, stored);
  for (const item of plan.items) {
    const { wanted, stored } = item;
    const place = `${wanted.kind} ${wanted.path}`;
    if (wanted.kind === 'webhook') {
      await applyWebhook(work.ctx, tx, item, idOf(work, 'account', wanted.parent));
      continue;
    }
    const id = stored === null ? await create(work, wanted) : Number(stored.row.id);
    ids.set(place, id);
    if (stored !== null) await update(work, item, id);
    if (wanted.kind !== 'sequencer-key' && wanted.name !== stored?.name)
      await setConfigName(tx, wanted.kind, id, wanted.name);
    await setParts(work, item, id);
  }
  await releaseEndedHolds(work.ctx);
}

function isConnection(place: string): boolean {
  return place.startsWith('connection ');
}

function pathOf(place: string): string {
  return place.slice(place.indexOf(' ') + 1);
}

/** A database whose statements and transactions are part of the open transaction. */
function inside(db: Database, tx: Db): Database {
  return {
    ...db,
    query: (statement, values) => tx.query(statement, values),
    script: (sql, options) => tx.script(sql, options),
    transaction: (work) => work(tx),
  };
}

/** @param input is checked by the operation, because the fields of an item have no types */
async function run<D extends Declaration>(work: Work, operation: Operation<D>, input: object): Promise<ResultOf<D>> {
  return (await perform(work.ctx, operation as Operation, { input, actor: CONFIG_ACTOR })) as ResultOf<D>;
}

function idOf({ ids }: Work, kind: ConfigKind, path: string | null): number {
  const id = ids.get(`${kind} ${path}`);
  if (id === undefined) throw new Error(`The ${kind} ${path} is not there yet.`);
  return id;
}

function switchesOf(fields: ConfigItem['fields']): object {
  const {
    ['capabilities.api']: canUseApi,
    ['capabilities.sync']: sync,
    ['capabilities.destinations']: forwarding,
    ['capabilities.blocklists']: lists,
  } = fields;
  return { canUseApi, sync, destinations: forwarding, blocklists: lists };
}

/** Returns the id of the new row. */
async function create(work: Work, { kind, name, parent, fields, secret }: ConfigItem): Promise<number> {
  switch (kind) {
    case 'account': {
      const input = { email: fields['email'], canUseWebhooks: fields['webhooks'] };
      return (await run(work, accounts.createAccount, input)).account.id;
    }
    case 'webhook':
      throw new Error('A webhook is created by applyWebhook.');
    case 'sequencer-key': {
      const { platform, instanceUrl } = fields;
      const input = { accountId: idOf(work, 'account', parent), name, platform, instanceUrl, token: secret };
      return (await run(work, sequencerKeys.addSequencerKey, input)).key.id;
    }
    case 'connection': {
      const { crm, organizationId, organizationDomain } = fields;
      const organization = { crm, organizationId, organizationDomain, ...switchesOf(fields) };
      const input = { accountId: idOf(work, 'account', parent), ...organization, crmToken: secret };
      return (await run(work, connections.addConnection, input)).connection.id;
    }
    case 'source': {
      const { secret: _check, policy: _policy, ...settings } = fields;
      const input = { connectionId: idOf(work, 'connection', parent), ...settings, isConfirmed: true };
      return (await run(work, sources.addSource, input)).source.id;
    }
    case 'destination': {
      const { url, description } = fields;
      const input = { connectionId: idOf(work, 'connection', parent), url, description };
      return (await run(work, destinations.addDestination, input)).destination.id;
    }
    case 'relay': {
      const settings = relayFields({ ...fields, routes: fields['routes'] ?? undefined });
      const input = { connectionId: idOf(work, 'connection', parent), ...settings };
      return (await run(work, relays.addRelay, input)).replyRelay.id;
    }
    case 'blocklist': {
      const { type: blockType, key, suppress: suppresses, every, remove: removes, ...settings } = fields;
      const access = key === null ? { sequencerToken: secret } : { sequencerKeyId: keyOf(work, parent, key) };
      const list = { ...settings, ...access, blockType, suppresses, every: toDuration(every), removes };
      const input = { connectionId: idOf(work, 'connection', parent), ...list };
      return (await run(work, blocklists.addBlocklist, input)).blocklist.id;
    }
  }
}

function toDuration(minutes: FieldValue): string {
  return `${String(minutes)}m`;
}

function relayFields({ categories, sources: _sources, ...settings }: ConfigItem['fields']): object {
  return { ...settings, categoryAllowlist: categories };
}

/** @param connection the path of a connection of the account */
function keyOf(work: Work, connection: string | null, key: FieldValue): number {
  return idOf(work, 'sequencer-key', `${connection?.split('/')[0]}/${String(key)}`);
}

/** Changes what other commands change with one call. */
async function update(work: Work, { wanted, step }: PlannedItem, id: number): Promise<void> {
  const { kind, parent, fields, secret } = wanted;
  const changed = Object.fromEntries(step.changes.map(({ field }) => [field, fields[field]]));
  const hasChange = (...names: string[]) => names.some((name) => name in changed);
  const hasNewSecret = hasChange('secret value');
  switch (kind) {
    case 'account':
      if (hasChange('webhooks')) {
        const input = { accountId: id, canUseWebhooks: fields['webhooks'] };
        await run(work, capabilities.setCapabilities, input);
      }
      if (hasChange('email')) await accounts.setEmail(work.tx, id, String(fields['email']));
      return;
    case 'webhook':
      throw new Error('A webhook is changed by applyWebhook.');
    case 'sequencer-key':
      if (hasChange('instanceUrl')) {
        await run(work, sequencerKeys.updateSequencerKey, { id, instanceUrl: fields['instanceUrl'] });
      }
      if (hasNewSecret) await run(work, sequencerKeys.setSequencerKeyToken, { id, token: secret });
      return;
    case 'connection': {
      if (hasNewSecret) {
        const { crm, organizationId, organizationDomain } = fields;
        await run(work, connections.addConnection, {
          ...{ accountId: idOf(work, 'account', parent), crm, organizationId, organizationDomain, crmToken: secret },
        });
      } else if (hasChange('organizationDomain')) {
        await updateRow(work.tx, 'connections', id, { organizationDomain: fields['organizationDomain'] });
      }
      if (Object.keys(changed).some((field) => field.startsWith('capabilities.'))) {
        await run(work, capabilities.setCapabilities, { connectionId: id, ...switchesOf(fields) });
      }
      return;
    }
    case 'source': {
      const { secret: _check, policy: _policy, mapping: _mapping, name: _name, ...settings } = changed;
      delete settings['secret value'];
      if (Object.keys(settings).length > 0) await run(work, sources.updateSource, { id, ...settings });
      return;
    }
    case 'destination':
      if (hasChange('url', 'description')) {
        const { url, description } = changed;
        await run(work, destinations.updateDestination, { id, url, description });
      }
      return;
    case 'relay':
      if (hasChange('ccEmail', 'delayMinutes', 'description', 'bodyTemplates', 'categories', 'routes')) {
        await run(work, relays.updateRelay, { id, ...relayFields(fields) });
      }
      return;
    case 'blocklist': {
      const { listName, crmListId, clientId, instanceUrl, suppress: suppresses, remove: removes } = changed;
      const every = hasChange('every') ? toDuration(fields['every']) : undefined;
      if (hasChange('crmListId') && crmListId === null) {
        await updateRow(work.tx, 'blocklists', id, { crmListId: null, crm: null });
      }
      const key = hasChange('key') && fields['key'] !== null ? keyOf(work, parent, fields['key']) : undefined;
      const list = { listName, crmListId: crmListId ?? undefined, clientId, instanceUrl };
      const changes = { ...list, sequencerKeyId: key, suppresses, every, removes };
      if (Object.values(changes).some((value) => value !== undefined)) {
        await run(work, blocklists.updateBlocklist, { id, ...changes });
      }
      if (secret !== null && (hasNewSecret || hasChange('key'))) {
        await run(work, blocklists.setBlocklistToken, { blocklistId: id, sequencerToken: secret });
      }
    }
  }
}

/** Sets what has a command of its own: policies, mappings, secrets of sources, and bindings. */
async function setParts(work: Work, { wanted, stored, step }: PlannedItem, id: number): Promise<void> {
  const { tx, ctx } = work;
  const { kind, parent, fields, secret } = wanted;
  const now = ctx.clock.now();
  const isChanged = (field: string) =>
    stored === null ? (fields[field] ?? null) !== null : step.changes.some((change) => change.field === field);
  if (isChanged('policy')) {
    const owner =
      kind === 'connection'
        ? { connectionId: id, sourceId: null }
        : { connectionId: idOf(work, 'connection', parent), sourceId: id };
    await insertPolicy(tx, owner, (fields['policy'] ?? null) as WritePolicy | null, now);
  }
  if (kind === 'source') {
    if (stored !== null && isChanged('mapping'))
      await insertMapping(tx, id, fields['mapping'] as EventMapping | null, now);
    if (fields['secret'] === null) {
      if (isChanged('secret')) await run(work, sourceSecrets.removeSourceSecret, { id });
    } else if (secret !== null && (stored === null || isChanged('secret') || isChanged('secret value'))) {
      const where = sourceSecrets.toCheckOptions(fields['platform'] as string, fields['secret'] as string);
      await run(work, sourceSecrets.setSourceSecret, { id, secret, ...where });
    }
  }
  if (!isChanged('sources')) return;
  if (kind === 'destination') await bindDestination(work, wanted, stored?.fields['sources'] ?? [], id);
  if (kind === 'relay') await bindRelay(work, wanted, stored?.fields['sources'] ?? [], id);
}

interface Binding {
  source: string;
  events: string[];
  delayed: boolean;
}

async function bindDestination(work: Work, { parent, fields }: ConfigItem, before: FieldValue, id: number) {
  const now = fields['sources'] as Binding[];
  for (const { source } of before as Binding[]) {
    if (now.some((one) => one.source === source)) continue;
    await bindings.unbindDestination(work.tx, id, idOf(work, 'source', `${parent}/${source}`));
  }
  for (const { source, events: eventTypes, delayed: isDelayed } of now) {
    const input = { destinationId: id, sourceId: idOf(work, 'source', `${parent}/${source}`), eventTypes, isDelayed };
    await run(work, destinations.bindDestination, input);
  }
}

/** A binding that another relay took meanwhile stays. */
async function bindRelay(work: Work, { parent, fields }: ConfigItem, before: FieldValue, id: number) {
  const now = fields['sources'] as string[];
  for (const source of before as string[]) {
    if (!now.includes(source)) await bindings.unbindRelay(work.tx, id, idOf(work, 'source', `${parent}/${source}`));
  }
  for (const source of now) {
    await run(work, relays.bindRelay, { relayId: id, sourceId: idOf(work, 'source', `${parent}/${source}`) });
  }
}
