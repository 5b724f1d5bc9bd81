import { openapiJson, openapiYaml } from '@svc/contract/document';
import { LIMITS } from '@svc/contract/limits';
import { JSON_TYPE } from '@svc/contract/vocabulary';
import { servedDocument } from '@svc/domain/pages/served-document';
import type { Context } from '@svc/engine/context';
import { publicRoute } from '../answer.ts';

const headers = { 'Cache-Control': `public, max-age=${LIMITS.openapiCacheSeconds}` };

export const getOpenapiJson = publicRoute((ctx) => ({
  text: { body: renderDocument(openapiJson, ctx), contentType: JSON_TYPE },
  headers,
}));

export const getOpenapiYaml = publicRoute((ctx) => ({
  text: { body: renderDocument(openapiYaml, ctx), contentType: 'application/yaml; charset=utf-8' },
  headers,
}));

function renderDocument(text: string, { branding, urls }: Context): string {
  return servedDocument(text, branding, { apiUrl: urls.api, docsUrl: urls.docs });
}
