import { openapiJson, openapiYaml } from '@svc/contract/document';
import { LIMITS } from '@svc/contract/limits';
import { JSON_TYPE } from '@svc/contract/vocabulary';
import { servedDocument } from '@svc/domain/pages/served-document';
import { type Call, publicHandler } from '../call.ts';

const headers = { 'Cache-Control': `public, max-age=${LIMITS.openapiCacheSeconds}` };

export const getOpenapiJson = publicHandler((call) => ({
  text: { body: served(openapiJson, call), contentType: JSON_TYPE },
  headers,
}));

export const getOpenapiYaml = publicHandler((call) => ({
  text: { body: served(openapiYaml, call), contentType: 'application/yaml; charset=utf-8' },
  headers,
}));

function served(text: string, { world, urls }: Call): string {
  return servedDocument(text, world.branding, { apiUrl: urls.api, docsUrl: urls.docs });
}
