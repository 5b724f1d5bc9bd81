/** Accounts and what belongs to them as flat lists of items, made of configuration files or of rows, so that both can be compared. */
import { parseDuration } from '@svc/domain/values/duration';
import { sortedUnique } from '@svc/domain/values/order';
import { parseWebhookUrl } from '@svc/domain/webhooks/webhook-url';
import { readGrant } from '@svc/engine/crm/grants';
import type { SecretPlace } from '@svc/engine/secrets/secret-box';
import { parseSourceSecrets } from '@svc/engine/secrets/source-secrets';
import type { Db } from '@svc/engine/store/database/db';
import type { ConfigAccount } from '../declared/config-file.ts';
import { CONFIG_KINDS, type ConfigKind, type ConfigRow, listConfigRows, ROUND_MINUTES } from '../store/config-rows.ts';
import { invalidInput } from './admin-error.ts';
import type { AdminContext } from './operation.ts';
import { describeCheck, selectCheck, toCheckOptions } from './source-secrets.ts';

/** JSON. */
export type FieldValue = unknown;

/** What a file wants, or what is stored. */
export interface ConfigItem {
  kind: ConfigKind;
  name: string;
  /** The names from the account on: `acme/main/smartlead`. */
  path: string;
  /** The path of what it belongs to; null for an account. */
  parent: string | null;
  fields: Readonly<Record<string, FieldValue>>;
  /** In clear text. Null: there is none; in a file, that the stored one stays. */
  secret: string | null;
}

export interface StoredItem extends ConfigItem {
  row: ConfigRow;
}

interface Binding {
  source: string;
  events: string[];
  delayed: boolean;
}

/** A shorter one could be guessed from a signed post. */
const SIGNING_SECRET_CHARACTERS_MIN = 24;

/** @throws AdminError when a name that is referred to does not exist */
export function itemsOfFile(
  ctx: Pick<AdminContext, 'outbound'>,
  accounts: readonly ConfigAccount[],
  secrets: Readonly<Record<string, string>>,
): ConfigItem[] {
  const valueOf = (reference: string | undefined) => (reference === undefined ? null : (secrets[reference] ?? null));
  const urlAt = (path: string, url: string) => {
    try {
      return parseWebhookUrl(url, ctx.outbound);
    } catch (error) {
      throw invalidInput(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const instanceAt = (path: string, url: string | null) => (url === null ? null : urlAt(path, url).replace(/\/+$/, ''));
  const items: ConfigItem[] = [];
  const add = (kind: ConfigKind, parent: string | null, name: string, fields: object, secret: string | null = null) => {
    const path = parent === null ? name : `${parent}/${name}`;
    items.push({ kind, name, path, parent, fields: { ...fields }, secret });
    return path;
  };
  for (const { name, email, webhooks, webhookEndpoints, sequencerKeys, connections } of accounts) {
    const account = add('account', null, name, { email, webhooks });
    for (const { name: webhook, url, events, secret, ...settings } of webhookEndpoints) {
      const place = `${account}/${webhook}`;
      const signing = valueOf(secret);
      if (signing !== null && signing.length < SIGNING_SECRET_CHARACTERS_MIN) {
        throw invalidInput(
          `${place}: secret must have at least ${SIGNING_SECRET_CHARACTERS_MIN} characters, such as those of openssl rand -hex 32`,
        );
      }
      add('webhook', account, webhook, { ...settings, url: urlAt(place, url), events: sortedUnique(events) }, signing);
    }
    for (const { name: key, token, platform, instanceUrl } of sequencerKeys) {
      const fields = { platform, instanceUrl: instanceAt(`${account}/${key}`, instanceUrl) };
      add('sequencer-key', account, key, fields, valueOf(token));
    }
    for (const connection of connections) {
      const { crm, organizationId, organizationDomain, capabilities, policy = null } = connection;
      const switches = Object.entries(capabilities).map(([field, isOn]) => [`capabilities.${field}`, isOn]);
      const fields = { crm, organizationId, organizationDomain, ...Object.fromEntries(switches), policy };
      const path = add('connection', account, connection.name, fields, valueOf(connection.token));
      const names = new Set(connection.sources.map((source) => source.name));
      const assertSource = (place: string, source: string) => {
        if (!names.has(source)) throw invalidInput(`${place}: connection ${path} has no source ${source} in the file`);
      };
      for (const { name: source, secret, mapping = null, policy: own = null, ...settings } of connection.sources) {
        const check = secret === undefined ? null : selectCheck(settings.platform, secret);
        const described = check === null ? null : describeCheck(check);
        const wanted = { ...settings, secret: described, mapping, policy: own };
        add('source', path, source, wanted, valueOf(secret?.value));
      }
      for (const { name: destination, url, description, sources } of connection.destinations) {
        const place = `${path}/${destination}`;
        for (const { source } of sources) assertSource(place, source);
        add('destination', path, destination, { url: urlAt(place, url), description, sources: sortBindings(sources) });
      }
      const relayed = new Set<string>();
      for (const { name: relay, sources, ...settings } of connection.relays) {
        for (const source of sources) {
          assertSource(`${path}/${relay}`, source);
          if (relayed.has(source)) throw invalidInput(`${path}/${relay}: source ${source} has another relay already`);
          relayed.add(source);
        }
        add('relay', path, relay, { ...settings, sources: sources.toSorted() });
      }
      for (const { name: list, token, ...settings } of connection.blocklists) {
        const place = `${path}/${list}`;
        const { key } = settings;
        if (key !== null && !sequencerKeys.some((known) => known.name === key)) {
          throw invalidInput(`${place}: account ${name} has no sequencer key ${key} in the file`);
        }
        if (key !== null && token !== undefined) throw invalidInput(`${place}: has both a key and a token`);
        const fields = {
          ...{ ...settings, instanceUrl: instanceAt(place, settings.instanceUrl) },
          ...{ suppress: sortedUnique(settings.suppress), every: minutesOf(settings.every) },
        };
        add('blocklist', path, list, fields, valueOf(token));
      }
    }
  }
  return items;
}

function minutesOf(every: string | undefined): number {
  return every === undefined ? ROUND_MINUTES : Math.round((parseDuration(every) ?? 0) / 60_000);
}

function sortBindings(bindings: readonly Binding[]): Binding[] {
  return bindings
    .map(({ source, events, delayed }) => ({ source, events: sortedUnique(events), delayed }))
    .sort((a, b) => (a.source < b.source ? -1 : 1));
}

/** The place of the secret of a kind. */
const PLACES: Readonly<Partial<Record<ConfigKind, SecretPlace['kind']>>> = {
  'sequencer-key': 'sequencer key',
  webhook: 'webhook signing secret',
  connection: 'CRM token',
  source: 'source secret',
  blocklist: 'sequencer token',
};

/** Returns what is stored of these accounts, parents first. @throws AdminError when a name is not unique */
export async function readItems(
  ctx: Pick<AdminContext, 'secrets'>,
  db: Db,
  accountIds: readonly number[],
  { locks = false } = {},
): Promise<StoredItem[]> {
  const items: StoredItem[] = [];
  const taken = new Set<string>();
  const paths = new Map<string, string>();
  const sources = new Map<number, string>();
  for (const kind of CONFIG_KINDS) {
    for (const row of await listConfigRows(db, kind, accountIds, { locks })) {
      const parent = row.parentId === null ? null : paths.get(`${parentKind(kind)} ${row.parentId}`);
      // The parent was added after its kind was read.
      if (parent === undefined) continue;
      const path = parent === null ? row.name : `${parent}/${row.name}`;
      if (taken.has(`${kind} ${path}`)) {
        throw invalidInput(`Two ${kind}s are called ${path}: svc-server config rename gives one another name.`);
      }
      taken.add(`${kind} ${path}`);
      paths.set(`${kind} ${row.id}`, path);
      if (kind === 'source') sources.set(Number(row.id), row.name);
      const { secret, check } = openSecret(ctx, kind, row);
      const fields = { ...withNames(kind, row.fields, sources), ...(check === null ? {} : { secret: check }) };
      items.push({ kind, name: row.name, path, parent, fields, secret, row });
    }
  }
  return items;
}

/** Returns the kind of row that a row of this kind belongs to. */
export function parentKind(kind: ConfigKind): ConfigKind {
  return kind === 'connection' || kind === 'sequencer-key' || kind === 'webhook' ? 'account' : 'connection';
}

function openSecret(
  { secrets }: Pick<AdminContext, 'secrets'>,
  kind: ConfigKind,
  { id, sealed }: ConfigRow,
): { secret: string | null; check: string | null } {
  const place = PLACES[kind];
  const none = { secret: null, check: null };
  if (place === undefined || sealed === null) return none;
  try {
    const text = secrets.decrypt(sealed, { kind: place, id });
    if (kind === 'connection') {
      const grant = readGrant(text);
      return { ...none, secret: grant.type === 'private' ? grant.accessToken : null };
    }
    if (kind !== 'source') return { ...none, secret: text };
    const [current] = parseSourceSecrets(text);
    return current === undefined ? none : { secret: current.secret, check: describeCheck(current) };
  } catch {
    // It cannot be decrypted: a value of the file differs from it.
    return none;
  }
}

function withNames(
  kind: ConfigKind,
  fields: ConfigRow['fields'],
  sources: ReadonlyMap<number, string>,
): Record<string, FieldValue> {
  if (kind === 'blocklist') return { ...fields, suppress: sortedUnique(fields['suppress'] as string[]) };
  if (kind === 'relay') {
    const ids = fields['sources'] as number[];
    return { ...fields, sources: ids.map((id) => sources.get(id) ?? String(id)).sort() };
  }
  if (kind === 'destination') {
    const rows = fields['sources'] as { source: number; events: string[]; delayed: boolean }[];
    const named = rows.map((row) => ({ ...row, source: sources.get(row.source) ?? String(row.source) }));
    return { ...fields, sources: sortBindings(named) };
  }
  return fields;
}

/** Returns the part of a file that describes these items, without what is default. */
export function fileOfItems(items: readonly StoredItem[]): object[] {
  const below = (parent: string | null, kind: ConfigKind) =>
    items.filter((item) => item.parent === parent && item.kind === kind);
  const list = (parent: string, kind: ConfigKind, more: (item: StoredItem) => object = () => ({})) =>
    below(parent, kind).map((item) => ({ name: item.name, ...writtenFields(item), ...more(item) }));
  return below(null, 'account').map((account) => ({
    name: account.name,
    ...writtenFields(account),
    ...withoutEmpty({
      webhookEndpoints: list(account.path, 'webhook'),
      sequencerKeys: list(account.path, 'sequencer-key'),
      connections: list(account.path, 'connection', ({ path }) =>
        withoutEmpty({
          sources: list(path, 'source'),
          destinations: list(path, 'destination'),
          relays: list(path, 'relay'),
          blocklists: list(path, 'blocklist'),
        }),
      ),
    }),
  }));
}

function withoutEmpty(lists: Readonly<Record<string, readonly object[]>>): object {
  return Object.fromEntries(Object.entries(lists).filter(([, rows]) => rows.length > 0));
}

/** The values that a file may leave out. */
const DEFAULTS: Readonly<Record<string, FieldValue>> = {
  active: true,
  'capabilities.api': true,
  'capabilities.sync': true,
  every: ROUND_MINUTES,
};

function isDefault(field: string, value: FieldValue): boolean {
  if (field in DEFAULTS) return value === DEFAULTS[field];
  if (value === null || value === false || value === '' || value === 0) return true;
  return Array.isArray(value) && value.length === 0;
}

function writtenFields({ fields }: StoredItem): object {
  const written: Record<string, FieldValue> = {};
  for (const [field, value] of Object.entries(fields)) {
    if (isDefault(field, value)) continue;
    const [group = field, inner] = field.split('.');
    if (inner !== undefined) written[group] = { ...(written[group] as object | undefined), [inner]: value };
    else if (field === 'secret') written[field] = toCheckOptions(fields['platform'] as string, value as string);
    else written[field] = field === 'every' ? `${String(value)}m` : value;
  }
  return written;
}
