/**
 * What a configuration file may say (docs/configuration.md). `docs/config.schema.json` is made from this schema. Templates are resolved and
 * secrets are read by the command (`server/src/admin/cli/config-document.ts`), so operations get only accounts, and secrets beside them.
 */
import { BLOCK_TYPES, CRMS, SUBSCRIBABLE_EVENT_TYPES } from '@svc/contract/vocabulary';
import { eventMappingSchema } from '@svc/domain/mappings/event-mapping';
import { writePolicySchema } from '@svc/domain/policy/write-policy';
import { relayRoutes } from '@svc/domain/relays/relay-routes';
import * as z from 'zod';
import { addBlocklist } from './blocklists.ts';
import { addConnection } from './connections.ts';
import { addDestination, bindDestination } from './destinations.ts';
import { email, sourcePlatform } from './fields.ts';
import { addRelay } from './relays.ts';
import { addSequencerKey } from './sequencer-keys.ts';
import { addSource, setSourceSecret } from './sources.ts';

export const configName = z
  .string('must be text')
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be 1 to 63 lower-case letters, digits and -, such as acme-sales');

/** Where the command finds a secret. A path is relative to the file. */
export const secretReference = z
  .string('must be text')
  .regex(/^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/, 'must be env:VARIABLE or file:PATH');

const switchOf = (isOn: boolean) => z.boolean('must be true or false').default(isOn);

function namesOnce<Row extends { name: string }>(rows: readonly Row[]): boolean {
  return new Set(rows.map(({ name }) => name)).size === rows.length;
}

function listOf<Schema extends z.ZodType<{ name: string }>>(schema: Schema) {
  return z.array(schema).refine(namesOnce, 'has a name twice').default([]);
}

const { shape: connectionShape } = addConnection.input;
const { shape: sourceShape } = addSource.input;
const { shape: relayShape } = addRelay.input;
const { shape: blocklistShape } = addBlocklist.input;

const source = z.strictObject({
  name: configName,
  platform: sourcePlatform,
  createOrUpdateCompany: switchOf(false),
  createOrUpdateTask: switchOf(false),
  assignContactOwner: switchOf(false),
  writeStateFields: switchOf(false),
  salesforceObjectType: sourceShape.salesforceObjectType,
  /** Without a value, the stored secret stays. */
  secret: z
    .strictObject({
      value: secretReference.optional(),
      header: setSourceSecret.input.shape.header,
      hmacHeader: setSourceSecret.input.shape.hmacHeader,
      timedHmacHeader: setSourceSecret.input.shape.timedHmacHeader,
      standardWebhooks: setSourceSecret.input.shape.standardWebhooks,
      tolerance: setSourceSecret.input.shape.tolerance,
    })
    .optional(),
  mapping: eventMappingSchema.optional(),
  policy: writePolicySchema.optional(),
});

const destination = z.strictObject({
  name: configName,
  url: z.string('must be text'),
  description: addDestination.input.shape.description,
  sources: z
    .array(
      z.strictObject({
        source: configName,
        events: bindDestination.input.shape.eventTypes,
        delayed: switchOf(false),
      }),
    )
    .refine((rows) => new Set(rows.map((row) => row.source)).size === rows.length, 'has a source twice')
    .default([]),
});

const relay = z.strictObject({
  name: configName,
  ccEmail: relayShape.ccEmail,
  delayMinutes: relayShape.delayMinutes,
  description: relayShape.description,
  bodyTemplates: relayShape.bodyTemplates,
  categories: relayShape.categoryAllowlist,
  routes: relayRoutes.nullable().default(null),
  sources: z.array(configName).default([]),
});

const blocklist = z.strictObject({
  name: configName,
  listName: blocklistShape.listName,
  crmListId: blocklistShape.crmListId,
  platform: blocklistShape.platform,
  type: z.enum(BLOCK_TYPES, `must be one of ${BLOCK_TYPES.join(', ')}`),
  clientId: blocklistShape.clientId,
  instanceUrl: z.string('must be text').nullable().default(null),
  /** The name of a sequencer key of the account, in place of a token. */
  key: z.string('must be text').nullable().default(null),
  token: secretReference.optional(),
  suppress: blocklistShape.suppresses,
  every: blocklistShape.every,
  remove: blocklistShape.removes,
});

const connection = z.strictObject({
  name: configName,
  crm: z.enum(CRMS, `must be one of ${CRMS.join(', ')}`),
  organizationId: connectionShape.organizationId,
  organizationDomain: connectionShape.organizationDomain,
  /** Without it the stored access stays, such as that of a user's consent. */
  token: secretReference.optional(),
  capabilities: z
    .strictObject({
      api: switchOf(true),
      sync: switchOf(true),
      destinations: switchOf(false),
      blocklists: switchOf(false),
    })
    .prefault({}),
  policy: writePolicySchema.optional(),
  sources: listOf(source),
  destinations: listOf(destination),
  relays: listOf(relay),
  blocklists: listOf(blocklist),
});

const sequencerKey = z.strictObject({
  name: addSequencerKey.input.shape.name,
  platform: sourcePlatform,
  instanceUrl: z.string('must be text').nullable().default(null),
  /** Without it the stored key stays. */
  token: secretReference.optional(),
});

/** A webhook of the API, which the account's events are posted to. */
const webhookEndpoint = z.strictObject({
  name: configName,
  url: z.string('must be text'),
  description: addDestination.input.shape.description,
  /** Empty: all. */
  events: z
    .array(z.enum(SUBSCRIBABLE_EVENT_TYPES, `must be one of ${SUBSCRIBABLE_EVENT_TYPES.join(', ')}`))
    .default([]),
  active: switchOf(true),
  /** What signs the posts. Without it the stored one stays. */
  secret: secretReference.optional(),
});

export const accountSchema = z.strictObject({
  name: configName,
  email,
  /** Whether it may use webhooks and the event log. */
  webhooks: switchOf(false),
  webhookEndpoints: listOf(webhookEndpoint),
  sequencerKeys: listOf(sequencerKey),
  connections: listOf(connection),
});

export const accountsSchema = z.array(accountSchema).refine(namesOnce, 'has a name twice');

export type ConfigAccount = z.output<typeof accountSchema>;
export type ConfigConnection = ConfigAccount['connections'][number];

const parameter = z.string().regex(/^[A-Za-z][A-Za-z0-9_]*$/, 'must be letters, digits and _, such as portalId');

/** An account that is made from a template. */
export const templatedAccount = z.strictObject({
  name: configName,
  template: z.string('must be the name of a template'),
  /** The values of the template's parameters. */
  with: z.record(parameter, z.union([z.string(), z.number(), z.boolean()])).default({}),
});

/** The body is checked once its parameters have values. */
export const templateSchema = z.looseObject({ parameters: z.array(parameter).default([]) });

export const configFileSchema = z.strictObject({
  version: z.literal(1, 'must be 1'),
  templates: z.record(z.string(), templateSchema).default({}),
  accounts: z.array(z.union([accountSchema, templatedAccount])),
});

/** Returns the JSON Schema of the file, for editors. It has no rules that JSON Schema cannot express, such as references by name. */
export function configJsonSchema(): object {
  const schema = z.toJSONSchema(configFileSchema, {
    ...{ target: 'draft-2020-12', io: 'input', unrepresentable: 'any' },
    // What command lines, the audit log and the dashboard know of a field says nothing to editors.
    override: ({ jsonSchema }) => {
      for (const key of ['flag', 'none', 'parse', 'file', 'secret', 'unless', 'isId', 'audit']) delete jsonSchema[key];
    },
  });
  return { title: 'Configuration of svc-server', ...schema };
}
