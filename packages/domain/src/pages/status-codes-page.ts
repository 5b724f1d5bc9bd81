import { escapeHtml, type HtmlPage } from './html-page.ts';
import { STATUS_CODES } from '../errors/status-codes.ts';

export interface PageUrls {
  readonly dashboard: string;
  readonly docs: string;
}

/** Renders the page that the `docUrl` of a blocker or warning points to: the meaning and fix of each code. */
export function statusCodesPage(urls: PageUrls): HtmlPage {
  const sections = Object.entries(STATUS_CODES).map(
    ([code, { kind, meaning, fix }]) => `<section id="${code}">
<h2><code>${code}</code> <span class="kind">${kind}</span></h2>
<p>${escapeHtml(meaning)}</p>
<p><strong>What to do:</strong> ${escapeHtml(fix)}. <a href="${escapeHtml(urls.dashboard)}">Where that is done</a>.</p>
</section>`,
  );
  return {
    title: 'Status codes',
    body: `<p>What <code>GET /api/v1/account/status</code> lists for a connection. A blocker makes <code>ready</code> false:
nothing syncs on that connection until it is resolved. A warning never does. More codes may be added.</p>
${sections.join('\n')}
<p><a href="${escapeHtml(urls.docs)}">Reference documentation</a></p>`,
  };
}
