import { openapiJson, openapiYaml } from '@svc/contract/document';
import { LIMITS } from '@svc/contract/limits';
import { publicHandler } from '../core/call.ts';

const headers = { 'Cache-Control': `public, max-age=${LIMITS.openapiCacheSeconds}` };

export const getOpenapiJson = publicHandler(() => ({
  text: { body: openapiJson, contentType: 'application/json; charset=utf-8' },
  headers,
}));

export const getOpenapiYaml = publicHandler(() => ({
  text: { body: openapiYaml, contentType: 'application/yaml; charset=utf-8' },
  headers,
}));
