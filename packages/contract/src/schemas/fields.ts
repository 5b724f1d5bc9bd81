/**
 * Field types that many resources share. All objects are loose: the API may add fields at any time.
 */
import * as z from 'zod';
import {
  CRMS,
  type Crm,
  EVENT_TYPES,
  type EventType,
  type Open,
  PLATFORMS,
  type Platform,
  PREFIXES,
  SEQUENCER_EVENT_TYPES,
  type SequencerEventType,
} from '../vocabulary.ts';

/** An instant in UTC, ISO 8601 with `Z`. */
export const timestampSchema = z.iso.datetime();
export const integerIdSchema = z.int().min(1);
export const countSchema = z.int().min(0);

/**
 * Returns the schema of a vocabulary that may grow: any string passes. The known values only give the type.
 */
export function openVocabulary<const Known extends string>(_known: readonly Known[]): z.ZodType<Open<Known>, string> {
  return z.string();
}

export const crmSchema: z.ZodType<Open<Crm>, string> = openVocabulary(CRMS);
export const platformSchema: z.ZodType<Open<Platform>, string> = openVocabulary(PLATFORMS);
export const eventTypeSchema: z.ZodType<Open<EventType>, string> = openVocabulary(EVENT_TYPES);
export const sequencerEventTypeSchema: z.ZodType<Open<SequencerEventType>, string> = openVocabulary(
  Object.keys(SEQUENCER_EVENT_TYPES) as SequencerEventType[],
);

export const webhookIdSchema = z.string().startsWith(PREFIXES.webhook);
export const webhookSecretSchema = z.string().startsWith(PREFIXES.webhookSecret);
export const webhookDeliveryIdSchema = z.string().startsWith(PREFIXES.webhookDelivery);
export const eventIdSchema = z.string().startsWith(PREFIXES.event);
/** An object without a defined shape. */
export const anyObjectSchema = z.record(z.string(), z.unknown());

/** The body of every refusal. */
export const errorBodySchema = z.looseObject({
  statusCode: z.int().min(400).max(599),
  message: z.string(),
  error: z.string(),
});
