/** The text of a document that is served. The first request for one loads this file. */
import { openapiJson } from '@svc/contract/document';
import { renderApiDocument } from '@svc/domain/pages/api-document';
import { API_DOCUMENT_PATH, LLMS_TXT_PATH } from '@svc/domain/pages/document-links';
import { renderLlmsTxt } from '@svc/domain/pages/llms-txt';
import { servedDocument } from '@svc/domain/pages/served-document';
import type { Context } from '@svc/engine/context';
import { DOCUMENT_SECTIONS, DOCUMENTS } from './document-list.ts';
import { readDocument } from './read-document.ts';

/**
 * @param options.hasMcp whether `/mcp` is answered
 * @returns null when there is no document at this path
 */
export async function findDocument(
  path: string,
  { urls, branding }: Pick<Context, 'urls' | 'branding'>,
  { hasMcp }: { readonly hasMcp: boolean },
): Promise<string | null> {
  const contract = { apiUrl: urls.api, docsUrl: urls.docs };
  if (path === LLMS_TXT_PATH) return renderLlmsTxt({ ...contract, branding, hasMcp, sections: DOCUMENT_SECTIONS });
  if (path === API_DOCUMENT_PATH) return renderApiDocument(servedDocument(openapiJson, branding, contract));
  const document = DOCUMENTS.find(({ name }) => path === `/docs/${name}.md`);
  return document === undefined ? null : readDocument(document);
}
