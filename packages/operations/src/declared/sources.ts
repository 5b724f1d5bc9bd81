import type { Source } from '@svc/contract/types';
import { eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import type { SourceSecret } from '@svc/domain/syncs/source-secret';
import { parseDuration } from '@svc/domain/values/duration';
import { SALESFORCE_OBJECT_TYPES } from '@svc/domain/values/salesforce-object-types';
import type { StoredSourceSecret } from '@svc/engine/secrets/source-secrets';
import type { Refusals } from '@svc/engine/store/source-secrets';
import type { SourceWiring } from '@svc/engine/store/source-wirings';
import type { AdapterCoverage } from '@svc/sequencers';
import * as z from 'zod';
import { declare, flagged, type InJson, list, notices, noun, one } from './declare.ts';
import { count, id, listFilter, name, oneOf, secret, sourcePlatform } from './fields.ts';
import { tryPolicy } from './policy-try.ts';
import { dropHeldEvents, listHeldEvents, releaseHeldEvents } from './held-events.ts';
import { declareRemoval } from './removal.ts';
import { listMappings, proposeMapping, setMapping, tryMapping } from './source-mappings.ts';
import { renderTable } from './table.ts';
import { backfillSource, listBackfills, stopBackfill } from './backfills.ts';
import { connectSource, disconnectSource } from './source-webhooks.ts';
import { checkPolicy, listSourcePolicies, setSourcePolicy, showSourcePolicy } from './write-policies.ts';

/** What operators see of the secrets of a source, and of the posts refused for want of one. */
export interface SourceAuthenticity {
  /** `unreadable`: the secrets cannot be decrypted, so its posts get 503. */
  secret: 'off' | 'on' | 'unreadable';
  /** How the accepted secrets are checked, the current one first. */
  accepted: Pick<StoredSourceSecret, 'check' | 'name' | 'toleranceSeconds' | 'validUntil'>[];
  /** Refused posts of the last seven days, newest day first. Days without any are left out. */
  refused: Pick<Refusals, 'day' | 'missing' | 'wrong'>[];
}

/** The API's resource with what only operators see. */
export interface AdminSource extends Source {
  /** Whether bounces and opt-outs are also recorded on the contact itself. */
  writeStateFields: boolean;
  /** Whether posts must carry a secret, and how many were refused. */
  authenticity: SourceAuthenticity;
  /** How much of the platform's events this release reads; `mapped`: with a ready mapping. */
  eventCoverage: AdapterCoverage | 'mapped' | 'none';
  /** Version of the mapping that reads its payloads; null without one. */
  mappingVersion: number | null;
  /** The webhooks that `sources connect` registered at the sequencer; null when it did not. */
  wiring: SourceWiring | null;
}

/** One source, with the account that it belongs to. */
export interface ShownSource extends AdminSource {
  accountId: number;
}

/** The settings of a source that are on or off: flag and description. A setting of the API's `config` that is missing is a type error. */
const SWITCHES = {
  createOrUpdateCompany: ['--create-or-update-company', 'also create or update the company'],
  createOrUpdateTask: ['--create-or-update-task', 'also create or update a task for replies'],
  assignContactOwner: ['--assign-contact-owner', 'assign contacts without an owner to the user of the sending mailbox'],
  writeStateFields: ['--write-state-fields', 'also record bounces and opt-outs on the contact itself'],
} as const satisfies Record<
  Exclude<keyof Source['config'], 'salesforceObjectType'> | 'writeStateFields',
  readonly [string, string]
>;

type Switches<Schema> = { [Field in keyof typeof SWITCHES]: Schema };

function switchesAs<Schema extends z.ZodType>(toSchema: (flag: string, description: string) => Schema) {
  const fields = Object.entries(SWITCHES).map(([field, [flag, description]]) => [field, toSchema(flag, description)]);
  return Object.fromEntries(fields) as Switches<Schema>;
}

const salesforceObjectType = z
  .enum(SALESFORCE_OBJECT_TYPES, `must be ${SALESFORCE_OBJECT_TYPES.join(' or ')}, in this spelling`)
  .nullable()
  .meta(flagged('--salesforce-object-type <type>', 'Salesforce only: what to create for an unknown person'));

export const addSource = declare({
  name: 'sources/add',
  description: 'create an inbound URL for a sequencer and show it',
  details:
    'The URL has 160 random bits; the sequencer posts to it. For a platform that this release does not read it needs `--mapping` or `--yes`.',
  example: '--connection 1 --platform smartlead --create-or-update-company',
  permission: 'write',
  input: z.strictObject({
    connectionId: id.meta(flagged('--connection <id>', 'the connection whose CRM gets its events')),
    platform: sourcePlatform.meta(
      flagged('--platform <platform>', 'the sequencer, such as smartlead; a name of your own for another one'),
    ),
    mapping: eventMappingSchema
      .nullable()
      .default(null)
      .meta(
        flagged('--mapping <file>', 'how to read the payloads of another one (docs/sequencers/any-other.md)', {
          file: 'json',
        }),
      ),
    ...switchesAs((flag, description) => z.boolean().default(false).meta(flagged(flag, description))),
    salesforceObjectType: salesforceObjectType.default(null),
    /** A misspelled platform would leave its events unread. */
    isConfirmed: z
      .boolean()
      .default(false)
      .meta(flagged('--yes', 'also for a platform that this release does not read, without --mapping')),
  }),
  result: { source: one<AdminSource>(), notices },
  print: ({ source }) =>
    `Source ${source.id} (${source.platform}, connection ${source.connectionId}) receives events at:\n${source.url}`,
});

export const updateSource = declare({
  name: 'sources/update',
  description: 'change how events of a source are written',
  details:
    'It holds for events that are written from now on; other settings stay. With `--write-state-fields on`, bounces and opt-outs are also recorded on the contact itself ([what each CRM has](../../docs/crm)).',
  example: '1 --create-or-update-company on',
  permission: 'write',
  input: z.strictObject({
    id: oneOf('source'),
    ...switchesAs((flag, description) =>
      z
        .boolean()
        .meta(flagged(`${flag} <on|off>`, description))
        .optional(),
    ),
    salesforceObjectType: salesforceObjectType.meta({ none: 'create contacts again, as by default' }).optional(),
  }),
  result: { source: one<AdminSource>() },
  print: ({ source }) => `Source ${source.id} is changed.`,
});

/** Headers that clients, proxies or this server set themselves. */
const RESERVED_HEADERS =
  /^(host|connection|transfer-encoding|te|upgrade|expect|user-agent|x-request-id|content-.*|accept.*|x-forwarded-.*)$/;

const header = name(100)
  .transform((value) => value.toLowerCase())
  .refine((value) => /^[a-z][a-z0-9-]*$/.test(value), 'must be the name of a header such as X-Webhook-Secret')
  .refine((value) => !RESERVED_HEADERS.test(value), 'must not be a header that HTTP clients or proxies set themselves');

const EXPECTED: Readonly<Record<SourceSecret['check'], (name: string) => string>> = {
  header: (field) => `the secret in the header ${field}`,
  'hmac-sha256': (field) => `their HMAC-SHA256 in the header ${field}`,
  'hmac-sha1': (field) => `their HMAC-SHA1 in the header ${field}`,
  'timed-hmac-sha256': (field) => `the HMAC-SHA256 of their time and body in the header ${field}`,
  'standard-webhooks': (field) => `a signature of Standard Webhooks in the header ${field}`,
  body: (field) => `the secret in the field "${field}" of the body`,
};

function isTolerance(ms: number | null): boolean {
  return ms !== null && ms >= 1_000 && ms <= 7 * 24 * 60 * 60_000;
}

export const setSourceSecret = declare({
  name: 'sources/set-secret',
  description: 'set or replace the secret that posts to a source must carry; it is read from stdin or a prompt',
  details: 'See [authenticity](../../docs/sequencers/authenticity.md).',
  example: '1 < secret.txt',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({
    id: oneOf('source'),
    /** Default: a new random secret, which is only in the result. */
    secret: secret.optional(),
    header: header
      .meta(flagged('--header <name>', 'the header that holds the secret (default: what the platform documents)'))
      .optional(),
    hmacHeader: header
      .meta(flagged('--hmac-header <name>', 'the header that holds the HMAC-SHA256 of the body, in hexadecimal'))
      .optional(),
    timedHmacHeader: header
      .meta(
        flagged(
          '--timed-hmac-header <name>',
          'the header that holds `t=<time>,v1=<HMAC-SHA256 of time, dot and body>`',
        ),
      )
      .optional(),
    standardWebhooks: z
      .boolean()
      .default(false)
      .meta(flagged('--standard-webhooks', 'posts are signed as standardwebhooks.com says')),
    tolerance: z
      .string('must be text')
      .refine((text) => isTolerance(parseDuration(text)), 'must be a duration from 1s to 7d, such as 5m')
      .meta(flagged('--tolerance <duration>', 'how old a signature with a time may be (default: 5m)'))
      .optional(),
    keepOld: z
      .string('must be text')
      .default('24h')
      .meta(flagged('--keep-old <duration>', 'how long the replaced secret stays valid; 0s ends it at once')),
  }),
  result: {
    id: one<number>(),
    check: one<SourceSecret['check']>(),
    name: one<string>(),
    keptUntil: one<string | null>(),
    /** The secret, when it was made here. */
    generated: one<string | null>(),
    notices,
  },
  print: ({ id: sourceId, check, name: field, keptUntil, generated }) => {
    const said = [
      `Within 5 seconds source ${sourceId} refuses posts without ${EXPECTED[check](field)}.`,
      keptUntil === null ? '' : ` The replaced secret stays valid until ${keptUntil}.`,
      generated === null ? '' : ' The line on stdout is the secret, which is shown only once.',
      generated === null ? '' : ' Enter it at the sequencer.',
    ].join('');
    return generated === null ? said : { text: generated, note: said };
  },
});

export const removeSourceSecret = declare({
  name: 'sources/remove-secret',
  description: 'accept posts to a source without a secret again',
  example: '1',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({ id: oneOf('source') }),
  result: { id: one<number>(), hadSecret: one<boolean>() },
  print: ({ id: sourceId, hadSecret }) =>
    hadSecret
      ? `Source ${sourceId} accepts posts without a secret, from all servers within 5 seconds.`
      : `Source ${sourceId} has no secret: nothing changed.`,
});

export const listSources = declare({
  name: 'sources/list',
  description: 'list sources',
  example: '--connection 1',
  permission: 'read',
  input: z.strictObject({
    ...listFilter.shape,
    search: name(2_000)
      .meta(flagged('--search <text>', 'only with this in the name of the platform, or with this id or URL'))
      .optional(),
    after: id.meta(flagged('--after <id>', 'only sources after this one: the next page')).optional(),
    limit: count(1_000).meta(flagged('--limit <number>', 'maximum number of sources (default: all)')).optional(),
  }),
  result: {
    sources: list<AdminSource>(),
    /** The id to continue after; null at the end. */
    next: one<number | null>(),
    notices,
  },
  print: ({ sources: rows, next }) => ({
    text: renderTable(
      rows,
      {
        ID: 'id',
        CONNECTION: 'connectionId',
        CRM: 'crm',
        PLATFORM: 'platform',
        EVENTS: 'eventCoverage',
        MAPPING: 'mappingVersion',
        'STATE FIELDS': 'writeStateFields',
        SECRET: (row) => row.authenticity.secret,
        WEBHOOK: (row) => (row.wiring === null ? '' : row.wiring.error === null ? 'ok' : 'differs'),
        'REFUSED (7 D)': (row) => row.authenticity.refused.reduce((sum, day) => sum + day.missing + day.wrong, 0),
        URL: 'url',
      },
      'There are no such sources: add one with svc-server sources add.',
    ),
    ...(next === null ? {} : { note: `More: add --after ${next}.` }),
  }),
});

export const showSource = declare({
  name: 'sources/show',
  description: 'show a source: its URL, settings, bindings and secret',
  example: '7',
  permission: 'read',
  input: z.strictObject({ id: oneOf('source') }),
  result: { source: one<ShownSource>(), notices },
  print: ({ source }) => describeSource(source),
});

function describeSource(source: InJson<ShownSource>): string {
  const { authenticity, mappingVersion, config, destinations, replyRelay, wiring } = source;
  const switches: Readonly<Record<string, unknown>> = { ...config, writeStateFields: source.writeStateFields };
  const lines: readonly (readonly [string, string])[] = [
    ['Source', `${source.id} (${source.platform})`],
    ['URL', source.url],
    ['Connection', `${source.connectionId} (${source.crm}, account ${source.accountId})`],
    ['Events', describeCoverage(source.eventCoverage, mappingVersion)],
    ['Secret', authenticity.secret],
    ...authenticity.accepted.map((accepted) => ['Posts must carry', describeAccepted(accepted)] as const),
    ...(wiring === null ? [] : [['Webhook', describeWiring(wiring)] as const]),
    ...Object.entries(SWITCHES).map(([field, [, text]]) => [text, switches[field] === true ? 'on' : 'off'] as const),
    ...(config.salesforceObjectType === null ? [] : [['creates in Salesforce', config.salesforceObjectType] as const]),
    ...destinations.map(({ url: to }) => ['Forwards to', to] as const),
    ...(replyRelay === null ? [] : [['Relays replies to', replyRelay.ccEmail] as const]),
  ];
  return lines.map(([label, value]) => `${label.charAt(0).toUpperCase()}${label.slice(1)}: ${value}`).join('\n');
}

function describeCoverage(coverage: AdminSource['eventCoverage'], mappingVersion: number | null): string {
  if (mappingVersion !== null) return `read with version ${mappingVersion} of its mapping`;
  return coverage === 'mapped' ? 'read with the ready mapping of the platform' : coverage;
}

function describeAccepted({ check, name: field, validUntil }: SourceAuthenticity['accepted'][number]): string {
  return `${EXPECTED[check](field)}${validUntil === null ? '' : ` (the replaced one, until ${validUntil})`}`;
}

function describeWiring({ sourceId, error, checkedAt }: InJson<SourceWiring>): string {
  if (error === null) return `as it should be at ${checkedAt}`;
  return `${error} (at ${checkedAt}): svc-server sources connect ${sourceId} mends it`;
}

export const removeSource = declareRemoval('source', 'remove a source; its URL then returns 404, its logs stay');

export const sources = noun(
  'sources',
  'inbound URLs that sequencers post events to',
  [
    addSource,
    connectSource,
    disconnectSource,
    backfillSource,
    listBackfills,
    stopBackfill,
    updateSource,
    proposeMapping,
    tryMapping,
    setMapping,
    listMappings,
    showSourcePolicy,
    setSourcePolicy,
    checkPolicy,
    tryPolicy,
    listSourcePolicies,
    listHeldEvents,
    releaseHeldEvents,
    dropHeldEvents,
    setSourceSecret,
    removeSourceSecret,
    listSources,
    showSource,
    removeSource,
  ],
  { policy: 'what of the events of a source reaches the CRM' },
);
