/** The HTML pages that answers link to (API reference, status codes, the dashboard of remediations), and documents for programs. */
import { openapiJson } from '@svc/contract/document';
import { operations } from '@svc/contract/operations';
import { renderApiDocument } from '@svc/domain/pages/api-document';
import type { Branding } from '@svc/domain/pages/branding';
import { API_DOCUMENT_PATH, documentLinks, LLMS_TXT_PATH, MARKDOWN_TYPE } from '@svc/domain/pages/document-links';
import { escapeHtml, type HtmlPage, pageHeaders, renderPage } from '@svc/domain/pages/html-page';
import { renderLlmsTxt } from '@svc/domain/pages/llms-txt';
import { servedDocument } from '@svc/domain/pages/served-document';
import { statusCodesPage } from '@svc/domain/pages/status-codes-page';
import type { MockUrls, Reply } from './call.ts';

/**
 * Returns the page or document at a path (without query), or null.
 */
export function findPage(method: string, path: string, urls: MockUrls, branding: Branding): Reply | null {
  if (method !== 'GET' && method !== 'HEAD') return null;
  const document = documentAt(path, urls, branding);
  if (document !== null) {
    return {
      status: 200,
      text: { body: document, contentType: MARKDOWN_TYPE },
      headers: { 'Cache-Control': 'no-cache' },
    };
  }
  const page = pageAt(path, urls);
  if (page === null) return null;
  return {
    status: 200,
    text: { body: renderPage(page), contentType: 'text/html; charset=utf-8' },
    headers: {
      ...{ ...pageHeaders(), 'Cache-Control': 'no-cache' },
      ...(path === '/docs' ? { Link: documentLinks(urls.api, API_DOCUMENT_PATH) } : {}),
    },
  };
}

/** The other documents of a server are files that the mock has not. */
function documentAt(path: string, { api, docs }: MockUrls, branding: Branding): string | null {
  const urls = { apiUrl: api, docsUrl: docs };
  if (path === LLMS_TXT_PATH) return renderLlmsTxt({ ...urls, branding, hasMcp: false, sections: [] });
  return path === API_DOCUMENT_PATH ? renderApiDocument(servedDocument(openapiJson, branding, urls)) : null;
}

function pageAt(path: string, urls: MockUrls): HtmlPage | null {
  if (path === '/docs') return referencePage(urls);
  if (path === '/docs/status-codes') return statusCodesPage(urls);
  return /^\/dashboard(\/.|$)/.test(path) ? dashboardPage(urls) : null;
}

function referencePage({ api, docs }: MockUrls): HtmlPage {
  const rows = operations.map(({ method, path }) => `<li><code>${escapeHtml(`${method} ${path}`)}</code></li>`);
  return {
    title: 'API reference',
    body: `<p>This is a mock of the API. Its description:
<a href="${escapeHtml(api)}/api/v1/openapi.json">OpenAPI 3.1, JSON</a>,
<a href="${escapeHtml(api)}/api/v1/openapi.yaml">OpenAPI 3.1, YAML</a>,
<a href="${escapeHtml(docs)}/status-codes">status codes</a>.</p>
<ul>
${rows.join('\n')}
</ul>`,
  };
}

function dashboardPage({ docs }: MockUrls): HtmlPage {
  return {
    title: 'Administration',
    body: `<p>This is a mock: it has no admin app and no CRM. To do what a remediation asks for, change the mock's rows
(<code>mock.db</code> in a test, <code>/__svc/data</code> of <code>svc-mock</code>) or apply the scenario <code>ready</code>.
The number at the end of this page's address is the id of the connection.</p>
<p><a href="${escapeHtml(docs)}/status-codes">What the status codes mean</a></p>`,
  };
}
