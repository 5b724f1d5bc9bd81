/** Schemas of the control endpoints' answers. The OpenAPI document is made from them, and tests validate every answer. */
import { operations } from '@svc/contract/operations';
import * as z from 'zod';
import { SCENARIO_NAMES } from '../state/scenario-names.ts';
import { faultEffect, faultTarget } from './schemas.ts';

const instant = z.iso.datetime().describe('ISO 8601, in UTC');
const count = z.int().min(0);
const anyObject = z.record(z.string(), z.unknown());
const scenarios = z.array(z.string()).describe('Applied scenarios, in order');
const clock = { now: instant.describe('World time'), mode: z.enum(['running', 'frozen']) };
const operationId = z.enum([...operations.map(({ id }): string => id), 'inbound']);

const world = {
  id: z.string(),
  ...clock,
  scenarios,
  sources: z.array(
    z.object({ id: z.int(), platform: z.string(), url: z.string().describe('URL that its sequencer posts to') }),
  ),
  snapshots: z.array(z.string()),
};

const fault = z.object({ id: z.string(), ...faultTarget, effect: faultEffect, matchedCount: count, hitCount: count });

const call = z.object({
  id: count.describe('Number of the call in its world, from 1'),
  createdAt: instant,
  method: z.string(),
  path: z.string(),
  query: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  operationId: operationId.nullable().describe('Null when no route matched'),
  keyName: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  body: z.unknown().optional().describe('Parsed JSON, or the text of other bodies; absent without a body'),
  status: z.int().nullable().describe('Null when a fault prevented the answer'),
  faultId: z.string().nullable(),
  nearestRoute: z.string().nullable().describe('The most similar route when none matched'),
  hint: z.string().nullable().describe('Why the answer may surprise, as in the header Svc-Mock-Hint, without keys'),
});

const post = z.object({
  id: count,
  createdAt: instant,
  kind: z.enum(['webhook', 'forwarding']),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().describe('The body as sent'),
  receiver: z.string().nullable().describe('The receiver it was sent to; null without one'),
  status: z.int().nullable(),
  error: z.string().nullable(),
});

const address = z.object({ name: z.string(), address: z.string() });

const mailAttempt = z.object({
  id: count,
  createdAt: instant,
  relayId: z.int(),
  requestId: z.int(),
  status: z
    .enum(['sent', 'retry', 'digest', 'failed', 'skipped'])
    .describe('retry: the attempt failed, and another follows; digest: the reply goes into the digest of the hour'),
  attemptCount: count.describe('Attempts at this mail so far'),
  unconfirmedCount: count,
  smtpCode: z.int().nullable(),
  error: z.string().nullable(),
  isDelivered: z.boolean().describe('Whether this attempt reached the recipient'),
  mail: z
    .object({
      messageId: z.string(),
      from: address,
      to: address,
      replyTo: address.nullable(),
      subject: z.string(),
      inReplyTo: z.string().nullable(),
      references: z.array(z.string()),
      headers: z.record(z.string(), z.string()),
      text: z.string(),
      html: z.string(),
    })
    .nullable()
    .describe('Null when it was skipped, or goes into the digest'),
});

const heldEvent = z.object({
  sourceId: z.int(),
  requestId: z.int(),
  eventType: z.string(),
  recipient: z.string().describe('The address of the lead, in lower case, or its profile URL'),
  campaign: z.string().describe('Id or name of the campaign; empty without one'),
  dropsAt: instant.describe('From when on it is never written'),
});

const settings = z.object({
  rateLimit: z.enum(['off', 'spec']),
  limitsBeginSpent: z.boolean(),
  latencyMs: z.number(),
  scanCap: z.int().nullable(),
  trustedProxies: count,
  runsJobs: z.boolean(),
  isFuture: z.boolean(),
  crmFailures: z.array(
    z.object({
      connectionId: z.int().optional(),
      sourceId: z.int().optional(),
      status: z.enum(['warning', 'error']),
      error: anyObject,
    }),
  ),
  blocklistFetchMs: count,
  blocklistPushMs: count,
  blocklistRefusedCount: count,
  blocklistLeftCount: count,
  receivers: z.record(z.string(), z.string()),
  mailFrom: z.string(),
  scenarios,
});

interface Answer {
  readonly description: string;
  readonly schema: z.ZodType;
}

function answer(description: string, schema: z.ZodType): Answer {
  return { description, schema };
}

const verification = (ok: boolean) => z.object({ ok: z.literal(ok), message: z.string(), count, calls: z.array(call) });

export const ANSWERS = {
  Health: answer('The mock is up', z.object({ status: z.literal('ok'), worlds: count })),
  World: answer('A world', z.object(world)),
  Worlds: answer('All worlds, the default one first', z.object({ worlds: z.array(z.object(world)) })),
  NewWorld: answer(
    'The new world',
    z.object({
      ...world,
      keys: z.record(z.string(), z.string()).describe("The world's tokens, by those of the default world"),
    }),
  ),
  Clock: answer('The clock', z.object(clock)),
  Settled: answer('No job is due', z.object({ dueLater: count.describe('Number of jobs that are due later') })),
  Fault: answer('The fault', fault),
  Faults: answer('All faults', z.object({ faults: z.array(fault) })),
  Scenarios: answer('All scenarios', z.object({ available: z.array(z.enum(SCENARIO_NAMES)), applied: scenarios })),
  AppliedScenarios: answer('All applied scenarios', z.object({ applied: scenarios })),
  Requests: answer('The calls, oldest first', z.object({ requests: z.array(call) })),
  Verified: answer('As expected', verification(true)),
  NotVerified: answer('Not as expected; the message lists the nearest calls', verification(false)),
  Snapshot: answer('The snapshot', z.object({ name: z.string() })),
  Snapshots: answer('All snapshots', z.object({ snapshots: z.array(z.string()) })),
  Receivers: answer('Base URLs by host', z.record(z.string(), z.string())),
  Outbox: answer('The posts, oldest first', z.object({ outbox: z.array(post) })),
  Mails: answer('The attempts, oldest first', z.object({ mails: z.array(mailAttempt) })),
  HeldEvents: answer('The events, in the order in which they were received', z.object({ held: z.array(heldEvent) })),
  Taken: answer('What was released or dropped', z.object({ events: count })),
  Event: answer('The event', z.object({ eventId: z.string() })),
  Settings: answer('The settings', settings),
  Row: answer('The row', anyObject),
  Rows: answer('Rows in the order of their list', z.object({ rows: z.array(anyObject), total: count })),
  Error: answer(
    'Refused; the message says why',
    z.object({ statusCode: z.int(), message: z.string(), error: z.string() }),
  ),
} satisfies Readonly<Record<string, Answer>>;

export type AnswerName = keyof typeof ANSWERS;
