import { openapiJson, openapiYaml } from '@svc/contract/document';
import { LIMITS } from '@svc/contract/limits';
import { JSON_TYPE } from '@svc/contract/vocabulary';
import { brandDocument } from '@svc/domain/branding';
import { publicRoute } from '../http/answer.ts';

const headers = { 'Cache-Control': `public, max-age=${LIMITS.openapiCacheSeconds}` };

export const getOpenapiJson = publicRoute((ctx) => ({
  text: { body: brandDocument(openapiJson, ctx.branding), contentType: JSON_TYPE },
  headers,
}));

export const getOpenapiYaml = publicRoute((ctx) => ({
  text: { body: brandDocument(openapiYaml, ctx.branding), contentType: 'application/yaml; charset=utf-8' },
  headers,
}));
