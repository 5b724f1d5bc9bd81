import { openapiJson, openapiYaml } from '@svc/contract/document';
import { LIMITS } from '@svc/contract/limits';
import { publicRoute } from '../http/answer.ts';

const headers = { 'Cache-Control': `public, max-age=${LIMITS.openapiCacheSeconds}` };

export const getOpenapiJson = publicRoute(() => ({
  text: { body: openapiJson, contentType: 'application/json; charset=utf-8' },
  headers,
}));

export const getOpenapiYaml = publicRoute(() => ({
  text: { body: openapiYaml, contentType: 'application/yaml; charset=utf-8' },
  headers,
}));
