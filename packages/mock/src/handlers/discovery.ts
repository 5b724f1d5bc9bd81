import { openapiJson, openapiYaml } from '@svc/contract/document';
import { LIMITS } from '@svc/contract/limits';
import { JSON_TYPE } from '@svc/contract/vocabulary';
import { brandDocument } from '@svc/domain/branding';
import { publicHandler } from '../core/call.ts';

const headers = { 'Cache-Control': `public, max-age=${LIMITS.openapiCacheSeconds}` };

export const getOpenapiJson = publicHandler(({ world }) => ({
  text: { body: brandDocument(openapiJson, world.branding), contentType: JSON_TYPE },
  headers,
}));

export const getOpenapiYaml = publicHandler(({ world }) => ({
  text: { body: brandDocument(openapiYaml, world.branding), contentType: 'application/yaml; charset=utf-8' },
  headers,
}));
