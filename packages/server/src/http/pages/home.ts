import { escapeHtml, type HtmlPage } from '@svc/domain/pages/html-page';
import type { PublicUrls } from '@svc/engine/config/public-urls';

/** The index page at the server's address. */
export function homePage({ api, docs, dashboard }: PublicUrls, { hasDashboard }: { hasDashboard: boolean }): HtmlPage {
  const links = [
    ...(hasDashboard ? [[dashboard, 'Dashboard: set up connections and sources, watch and mend them']] : []),
    [docs, 'Reference documentation of the API'],
    [`${api}/api/v1/openapi.json`, 'OpenAPI 3.1 document, JSON'],
    [`${api}/api/v1/openapi.yaml`, 'OpenAPI 3.1 document, YAML'],
    [`${api}/llms.txt`, 'Documents for programs and agents, Markdown'],
    [`${docs}/status-codes`, 'What the blockers and warnings of the account status mean'],
    [`${api}/health/ready`, 'Whether events can be received and synced now'],
  ];
  const items = links.map(([href = '', text = '']) => `<li><a href="${escapeHtml(href)}">${escapeHtml(text)}</a></li>`);
  return { title: 'Sequencer-to-CRM sync service', body: `<ul>\n${items.join('\n')}\n</ul>` };
}
