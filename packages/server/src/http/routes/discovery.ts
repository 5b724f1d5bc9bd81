import { LIMITS } from '@svc/contract/limits';
import { JSON_TYPE } from '@svc/contract/vocabulary';
import { servedDocument } from '@svc/domain/pages/served-document';
import type { Context } from '@svc/engine/context';
import { publicRoute } from '../answer.ts';

const headers = { 'Cache-Control': `public, max-age=${LIMITS.openapiCacheSeconds}` };

/** Loaded at the first request for one: they are a tenth of the server's code. */
const loadDocuments = () => import('@svc/contract/document');

export const getOpenapiJson = publicRoute(async (ctx) => ({
  text: { body: renderDocument((await loadDocuments()).openapiJson, ctx), contentType: JSON_TYPE },
  headers,
}));

export const getOpenapiYaml = publicRoute(async (ctx) => ({
  text: {
    body: renderDocument((await loadDocuments()).openapiYaml, ctx),
    contentType: 'application/yaml; charset=utf-8',
  },
  headers,
}));

function renderDocument(text: string, { branding, urls }: Context): string {
  return servedDocument(text, branding, { apiUrl: urls.api, docsUrl: urls.docs });
}
