/** Vocabularies, limits and literal messages in TypeScript agree with the contract. */
import { describe, expect, test } from 'vitest';
import { ERROR_MESSAGES, NOT_FOUND_RESOURCES, OWN_MESSAGES } from '../src/error-messages.ts';
import { LIMITS } from '../src/limits.ts';
import * as vocabulary from '../src/vocabulary.ts';
import { listExamples } from './examples.ts';
import {
  type OperationObject,
  type ParameterObject,
  type ResponseObject,
  readContractDocument,
  resolve,
} from './strict-document.ts';

const document = readContractDocument();
const { schemas } = document.components;

function headerNamesOf(operation: OperationObject): string[] {
  return (operation.parameters ?? []).map((parameter) => resolve<ParameterObject>(document, parameter).name);
}

describe('vocabularies', () => {
  test.each([
    ['ComponentStatus', vocabulary.COMPONENT_STATUSES],
    ['BlockerCode', vocabulary.BLOCKER_CODES],
    ['WarningCode', vocabulary.WARNING_CODES],
    ['Crm', vocabulary.CRMS],
    ['Platform', vocabulary.PLATFORMS],
    ['SequencerEventType', Object.keys(vocabulary.SEQUENCER_EVENT_TYPES)],
    ['EventType', vocabulary.EVENT_TYPES],
    ['DoNotContactReason', vocabulary.DO_NOT_CONTACT_REASONS],
  ])('%s is open, with the known values', (name, values) => {
    expect(schemas[name]?.anyOf).toEqual([{ type: 'string', enum: [...values] }, { type: 'string' }]);
  });

  test.each([
    ['ApiKeyScope', vocabulary.API_KEY_SCOPES],
    ['ConnectionScope', vocabulary.CONNECTION_SCOPES],
    ['SyncStatus', vocabulary.SYNC_STATUSES],
    ['DeliveryStatus', vocabulary.DELIVERY_STATUSES],
    ['WebhookDeliveryStatus', vocabulary.WEBHOOK_DELIVERY_STATUSES],
    ['BlocklistStatus', vocabulary.BLOCKLIST_STATUSES],
    ['BlockType', vocabulary.BLOCK_TYPES],
    ['SubscribableEventType', vocabulary.SUBSCRIBABLE_EVENT_TYPES],
    ['EventTypeFilter', vocabulary.EVENT_TYPES],
  ])('%s is closed, with all values', (name, values) => {
    expect(schemas[name]).toMatchObject({ type: 'string', enum: [...values] });
  });

  test('no enumeration of the contract is missing above', () => {
    const enumerated = Object.entries(schemas).filter(([, schema]) => schema['enum'] ?? schema.anyOf?.[0]?.['enum']);
    expect(enumerated).toHaveLength(17);
  });

  test('ids and secrets start as they should', () => {
    const patternOf = (schema: string, property: string): unknown =>
      schemas[schema]?.properties?.[property]?.['pattern'];
    const { PREFIXES } = vocabulary;
    expect(patternOf('WebhookEndpoint', 'id')).toBe(`^${PREFIXES.webhook}`);
    expect(patternOf('WebhookDelivery', 'id')).toBe(`^${PREFIXES.webhookDelivery}`);
    expect(patternOf('PlatformEvent', 'id')).toBe(`^${PREFIXES.event}`);
    expect(schemas['WebhookEndpointWithSecret']?.allOf?.[1]?.properties?.['secret']?.['pattern']).toBe(
      `^${PREFIXES.webhookSecret}`,
    );
    expect(document.components['securitySchemes']?.['bearerAuth']).toMatchObject({
      bearerFormat: `${PREFIXES.apiKey}...`,
    });
  });

  test('the three webhook headers and the deliveries of all event types are described', () => {
    const { HEADERS } = vocabulary;
    expect(Object.keys(document.webhooks)).toEqual([...vocabulary.EVENT_TYPES]);
    for (const { post } of Object.values(document.webhooks)) {
      expect(headerNamesOf(post)).toEqual([HEADERS.eventId, HEADERS.deliveryId, HEADERS.signature]);
    }
    expect(Object.keys(document.components['headers'] ?? {})).toContain(HEADERS.requestId);
  });
});

describe('limits', () => {
  const parameter = (name: string): ParameterObject =>
    resolve<ParameterObject>(document, { $ref: `#/components/parameters/${name}` });

  test('page sizes, lengths and counts', () => {
    expect(parameter('Limit').schema).toMatchObject({
      minimum: 1,
      maximum: LIMITS.observabilityPageMax,
      default: LIMITS.observabilityPageDefault,
    });
    expect(parameter('WebhookLimit').schema).toMatchObject({
      minimum: 1,
      maximum: LIMITS.webhookPageMax,
      default: LIMITS.webhookPageDefault,
    });
    expect(parameter('OutreachProfileUrl').schema['maxItems']).toBe(LIMITS.profileUrlsMax);
    expect(schemas['ReplyRelay']?.properties?.['categoryAllowlist']?.['maxItems']).toBe(
      LIMITS.relayCategoryAllowlistMax,
    );
    for (const name of ['CreateWebhookBody', 'UpdateWebhookBody', 'WebhookEndpoint']) {
      expect(schemas[name]?.properties?.['url']?.['maxLength']).toBe(LIMITS.webhookUrlMaxLength);
      expect(schemas[name]?.properties?.['description']?.['maxLength']).toBe(LIMITS.webhookDescriptionMaxLength);
    }
  });

  test('numbers that appear only in prose', () => {
    const text = JSON.stringify(document);
    const minutes = LIMITS.webhookRetryDelaysMs.map((ms) => ms / 60_000);
    const days = LIMITS.dateRangeMaxMs / 86_400_000;
    for (const sentence of [
      `${LIMITS.generalRequestsPerWindow} requests in ${LIMITS.rateWindowSeconds} seconds`,
      `${LIMITS.outreachRequestsPerWindow} look-ups in ${LIMITS.rateWindowSeconds} seconds`,
      `at most ${days} days`,
      `An account can have ${LIMITS.webhooksPerAccountMax} webhooks`,
      `after ${LIMITS.webhookAutoDisableDeadCount} DEAD deliveries in a row`,
      `within ${LIMITS.webhookAttemptTimeoutMs / 1000} seconds counts as received`,
      `After ${LIMITS.webhookTerminalHttpStatuses.join(' or ')} the delivery is given up`,
      `${minutes[0]} minute (and up to ${LIMITS.webhookFirstRetryJitterMaxMs / 60_000} more)`,
      `then after ${minutes.slice(1, -1).join(', ')} and at last ${minutes.at(-1)} minutes`,
    ]) {
      expect(text).toContain(sentence);
    }
    expect(document.components['headers']?.['Cache-Control']).toMatchObject({
      schema: { const: `public, max-age=${LIMITS.openapiCacheSeconds}` },
    });
    expect(document.components['headers']?.['WWW-Authenticate']).toMatchObject({
      example: `Bearer realm="${vocabulary.AUTH_REALM}"`,
    });
    expect(LIMITS.webhookAttemptsMax).toBe(LIMITS.webhookRetryDelaysMs.length + 1);
  });
});

describe('messages', () => {
  const errors = listExamples(document).flatMap(({ schemaName, value }) =>
    schemaName === 'ErrorBody' ? [value as { statusCode: number; message: string; error: string }] : [],
  );
  // The contract has no operation for inbound URLs, unknown routes and `/mcp`.
  const {
    noSuchRoute: _noRoute,
    noSuchSource: _noSource,
    inboundNotAuthentic: _refused,
    foreignOrigin: _foreign,
    ...shown
  } = OWN_MESSAGES;

  test.each([...Object.values(ERROR_MESSAGES), ...Object.values(shown)])('%s', (message) => {
    expect(errors.map((error) => error.message)).toContain(message);
  });

  test.each(NOT_FOUND_RESOURCES)('%s <id> not found', (resource) => {
    expect(errors.some((error) => error.message.startsWith(`${resource} `) && error.statusCode === 404)).toBe(true);
  });

  test('each example stands under the status that it states', () => {
    const refusals = Object.values(document.components['responses'] ?? {});
    expect(refusals.length).toBeGreaterThan(20);
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    for (const { responses } of operations) {
      for (const [status, reference] of Object.entries(responses)) {
        const { content } = resolve<ResponseObject>(document, reference);
        for (const media of Object.values(content ?? {})) {
          if (media.schema.$ref !== '#/components/schemas/ErrorBody') continue;
          const values = Object.values(media.examples ?? {}).map(({ value }) => value);
          expect(values.length).toBeGreaterThan(0);
          for (const value of values) expect(value).toMatchObject({ statusCode: Number(status) });
        }
      }
    }
  });
});
