/** Schemas of the control endpoints' input. The OpenAPI document is made from them. */
import { operations } from '@svc/contract/operations';
import { parseMailAddress } from '@svc/domain/relays/mail-address';
import { DURATION_FORM } from '@svc/domain/values/duration';
import * as z from 'zod';
import { parseDuration } from '../state/clock.ts';
import { isScenarioName, SCENARIO_NAMES } from '../state/scenario-names.ts';
import { HOST_NAME } from '../state/settings.ts';
import { CONFIGURED_KINDS, LOG_KINDS } from '../state/world-data.ts';

/** Ten years. Larger jumps are made with `freeze`. */
const DURATION_MAX_MS = 3_660 * 86_400_000;

/** A duration in milliseconds or with a unit: `1500`, `"90s"`, `"24h"`. */
const durationSchema = z
  .union([z.number().min(0), z.string().regex(DURATION_FORM, 'must be like 500ms, 90s, 1h30m, 24h or 7d')])
  .transform(parseDuration)
  .refine((ms) => ms <= DURATION_MAX_MS, { error: 'must be at most 3660 days' });

const instant = z.iso
  .datetime({ offset: true, error: 'must be an ISO-8601 instant such as 2026-01-15T12:00:00Z' })
  .transform((text) => new Date(text));

const scenarioName = z
  .string()
  .refine(isScenarioName, { error: `must be one of ${SCENARIO_NAMES.join(', ')}` })
  .meta({ enum: SCENARIO_NAMES });

const operationName = z.enum([...operations.map(({ id }) => id), 'inbound']);
const operationOrPost = z.enum([...operations.map(({ id }) => id), 'inbound', 'outbound', 'mail']);

const text = z.string().min(1).max(500);
const count = z.int().min(0);
const anyObject = z.record(z.string(), z.unknown());

const crmFailure = z.strictObject({
  connectionId: z.int().optional(),
  sourceId: z.int().optional(),
  status: z.enum(['warning', 'error']),
  error: anyObject,
});

/** Base URLs by host name, in any letter case. */
const receivers = z
  .record(
    z.string().regex(HOST_NAME, 'must be a host name without a port'),
    z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }),
  )
  .transform((byHost) => Object.fromEntries(Object.entries(byHost).map(([host, url]) => [host.toLowerCase(), url])));

export const settingsPatchSchema = z.strictObject({
  rateLimit: z.enum(['off', 'spec']).optional(),
  limitsBeginSpent: z.boolean().optional(),
  trustedProxies: z.int().min(0).max(99).optional(),
  runsJobs: z.boolean().optional(),
  latencyMs: z.number().min(0).max(600_000).optional(),
  scanCap: z.int().min(1).nullable().optional(),
  isFuture: z.boolean().optional(),
  crmFailures: z.array(crmFailure).optional(),
  blocklistFetchMs: count.optional(),
  blocklistPushMs: count.optional(),
  blocklistRefusedCount: count.optional(),
  blocklistLeftCount: count.optional(),
  receivers: receivers.optional(),
  mailFrom: z
    .string()
    .refine((value) => parseMailAddress(value) !== null, 'must be an address or "Name <address>"')
    .optional(),
});

export const newWorldSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[\w-]{1,32}$/, 'must be 1 to 32 letters, digits, - and _')
    .optional(),
  now: instant.nullable().optional(),
  scenarios: z.array(scenarioName).optional(),
  settings: settingsPatchSchema.optional(),
  seed: z.int().optional(),
});

export const clockChangeSchema = z
  .strictObject({
    freeze: z.union([z.literal(true), instant]).optional(),
    advance: durationSchema.optional(),
    resume: z.literal(true).optional(),
  })
  .refine(({ freeze, advance, resume }) => [freeze, advance, resume].filter((it) => it !== undefined).length > 0, {
    error: 'must have freeze (true or an instant), advance (a duration) or resume (true)',
  });

export const faultEffect = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(200).max(599),
    body: z.unknown().optional(),
    retryAfterSeconds: count.optional(),
  }),
  z.strictObject({ kind: z.literal('latency'), latencyMs: z.number().min(0).max(600_000) }),
  z.strictObject({ kind: z.literal('reset'), when: z.enum(['before', 'after']).optional() }),
  z.strictObject({ kind: z.literal('truncate'), bytes: count.optional() }),
  z.strictObject({ kind: z.literal('hang') }),
]);

export const faultTarget = {
  operations: z.array(operationOrPost).min(1).optional(),
  key: text.optional(),
  host: text.optional(),
  nth: z.int().min(1).optional(),
  times: z.int().min(1).optional(),
  probability: z.number().min(0).max(1).optional(),
};

export const faultRuleSchema = z.strictObject({ ...faultTarget, effect: faultEffect });

export const scenariosSchema = z.strictObject({ names: z.array(scenarioName).min(1) });

const callFilter = {
  operation: operationName.optional(),
  keyName: text.optional(),
  method: text.optional(),
  path: text.optional(),
};

export const expectationSchema = z.strictObject({
  ...callFilter,
  status: z.int().optional(),
  query: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
  body: z.unknown().optional(),
  isUnmatched: z.boolean().optional(),
  times: count.optional(),
  atLeast: count.optional(),
  atMost: count.optional(),
});

export const requestsQuery = z.strictObject({
  ...callFilter,
  status: z.coerce.number().int().optional(),
  unmatched: z.enum(['true', 'false']).optional(),
});

export const outboxQuery = z.strictObject({
  kind: z.enum(['webhook', 'forwarding']).optional(),
  host: text.optional(),
});

export const mailsQuery = z.strictObject({
  relayId: z.coerce.number().int().optional(),
  status: z.enum(['sent', 'retry', 'digest', 'failed', 'skipped']).optional(),
  to: text.optional(),
});

export const heldFilterSchema = z.strictObject({ sourceId: z.int().optional(), recipient: text.optional() });

export const dataKind = z.enum([...CONFIGURED_KINDS, ...LOG_KINDS]);

/** Maximum number of rows per answer. */
const ROWS_MAX = 10_000;

export const rowsQuery = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(0)
    .max(ROWS_MAX)
    .default(1_000)
    .describe('Maximum number of rows, taken from the end of the list'),
  where: z.string().optional().describe('JSON object of values that the rows have, such as {"status":"error"}'),
});

/** Fields of a row, with instants as texts. */
export const rowSchema = z.record(z.string(), z.unknown());

export const snapshotSchema = z.strictObject({ name: text.optional() });

export const receiversSchema = receivers;

export const triggerSchema = z.strictObject({
  type: text,
  data: anyObject.optional(),
  connectionId: z.int().optional(),
  sourceId: z.int().optional(),
  summary: text.optional(),
});
