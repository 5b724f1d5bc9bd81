import type { HealthLive, HealthReady, operations } from '@svc/contract/types';
import type { ApiPromise } from '../calls/call.ts';
import type { CallOptions } from '../http/send-with-retries.ts';
import type { Operations } from './operations.ts';
import { createShapeCheck } from '../calls/shape.ts';

/** An OpenAPI 3.1 document. */
export type OpenapiDocument = operations['getOpenapiJson']['responses'][200]['content']['application/json'];

/** Routes that need no key. */
export interface DiscoveryResource {
  /** Returns when the platform is up. */
  live(options?: CallOptions): ApiPromise<HealthLive>;
  /**
   * Returns when the platform can receive and sync events. Otherwise it answers 503, thrown as `ServerError` with the checks in
   * `error.body`. Not retried unless `maxRetries` is set.
   */
  ready(options?: CallOptions): ApiPromise<HealthReady>;
  /** Returns the contract as an object. */
  openapiJson(options?: CallOptions): ApiPromise<OpenapiDocument>;
  /** Returns the contract as YAML text. */
  openapiYaml(options?: CallOptions): ApiPromise<string>;
}

const findLiveFault = createShapeCheck<HealthLive>({ status: 'string' });
const findReadyFault = createShapeCheck<HealthReady>({ status: 'string', checks: 'object' });
const findDocumentFault = createShapeCheck<OpenapiDocument>({ openapi: 'string', paths: 'object' });

/** Disables retries unless the caller sets them. */
const once = (options?: CallOptions): CallOptions => ({ ...options, maxRetries: options?.maxRetries ?? 0 });

export function createDiscoveryResource({ get, send }: Operations): DiscoveryResource {
  const live = get('/health/live', findLiveFault);
  const ready = get('/health/ready', findReadyFault);
  return {
    live: (options) => live(once(options)),
    ready: (options) => ready(once(options)),
    openapiJson: get('/api/v1/openapi.json', findDocumentFault),
    openapiYaml: (options) =>
      send(
        'GET',
        '/api/v1/openapi.yaml',
        options,
        () => null,
        () => ({ parseAs: 'text' }),
      ),
  };
}
