import type { HealthLive, HealthReady, operations } from '@svc/contract/types';
import type { ApiPromise, CallContext } from '../call.ts';
import type { CallOptions } from '../fetch.ts';

/** The contract as far as its own types go: any OpenAPI 3.1 document. */
export type OpenapiDocument = operations['getOpenapiJson']['responses'][200]['content']['application/json'];

/** Routes that need no key (specification, "Discovery and health"). */
export interface DiscoveryResource {
  /** Is the platform up? */
  live(options?: CallOptions): ApiPromise<HealthLive>;
  /**
   * Can it receive and sync events now? "No" is a 503, thrown as `ServerError` with the checks in `error.body`,
   * and not asked again unless `maxRetries` says so.
   */
  ready(options?: CallOptions): ApiPromise<HealthReady>;
  /** The contract as an object. */
  openapiJson(options?: CallOptions): ApiPromise<OpenapiDocument>;
  /** The contract as YAML text. */
  openapiYaml(options?: CallOptions): ApiPromise<string>;
}

export function createDiscoveryResource({ raw, call }: CallContext): DiscoveryResource {
  return {
    live: (options) => call({ maxRetries: 0, ...options }, (init) => raw.GET('/health/live', init)),
    ready: (options) => call({ maxRetries: 0, ...options }, (init) => raw.GET('/health/ready', init)),
    openapiJson: (options) => call(options, (init) => raw.GET('/api/v1/openapi.json', init)),
    openapiYaml: (options) => call(options, (init) => raw.GET('/api/v1/openapi.yaml', { ...init, parseAs: 'text' })),
  };
}
