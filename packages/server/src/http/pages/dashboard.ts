/**
 * The page that remediations link to while this server has no admin app: it shows the `svc-server` commands for them.
 * It is the same for everybody and every connection, but for the
 * link to reconnect the connection of the address.
 */
import { escapeHtml, type HtmlPage } from '@svc/domain/pages/html-page';
import type { PublicUrls } from '@svc/engine/config/public-urls';

interface AdminTask {
  heading: string;
  /** HTML. */
  text: string;
  /** Arguments of `svc-server`. */
  commands: readonly string[];
}

/** A test checks every line against the existing commands. */
const ADMIN_TASKS: readonly AdminTask[] = [
  {
    heading: 'Connect or reconnect a CRM',
    text: 'Adding an existing organization replaces its token. The token is read from a prompt or from stdin.',
    commands: [
      'connections list',
      'connections add --account ID --crm CRM --organization-id ID --organization-domain DOMAIN',
    ],
  },
  {
    heading: 'Forward events, relay replies',
    text: 'A destination or a relay does nothing until it is bound to a source. Relays send mails once the server has <code>SVC_SMTP_URL</code> and <code>SVC_MAIL_FROM</code>.',
    commands: [
      'sources list --connection ID',
      'destinations add --url URL --connection ID',
      'destinations bind ID --source ID --event-types TYPE,TYPE',
      'relays add --connection ID --cc-email EMAIL',
      'relays bind ID --source ID',
      'relays log --relay ID',
    ],
  },
  {
    heading: 'Synchronize a block list with a CRM list',
    text: "The sequencer's API key is read like the CRM's token. The first fetch starts automatically, later ones once a day or with <code>POST /api/v1/blocklists/:id/resync</code>.",
    commands: ['blocklists add --connection ID --name NAME --platform PLATFORM --type ADDRESS --crm-list-id ID'],
  },
  {
    heading: 'Switch off unused capabilities',
    text: 'Capabilities that are switched off cause no warnings.',
    commands: ['capabilities set --connection ID --destinations off --blocklists off'],
  },
  {
    heading: 'Retry failed syncs',
    text: 'Once the cause is fixed: <code>POST /api/v1/syncs/:id/retry</code>, with a key that has the write scope.',
    commands: ['keys create --account ID --name NAME --scope write'],
  },
];

/** @param reconnectedId a connection that can be reconnected in the browser while it is disconnected */
export function dashboardPage(urls: PublicUrls, reconnectedId?: number): HtmlPage {
  const start = `${urls.api}/oauth/connections/${reconnectedId}/start`;
  const reconnection =
    reconnectedId === undefined
      ? ''
      : `<p><a href="${escapeHtml(start)}">Reconnect connection ${reconnectedId} in the browser</a>: the CRM asks you for access. This
works while the connection is disconnected, for users of the CRM account that it belongs to.</p>\n`;
  const sections = ADMIN_TASKS.map(({ heading, text, commands }) => {
    const lines = commands.map((command) => `svc-server ${command}`).join('\n');
    return `<h2>${escapeHtml(heading)}</h2>\n<p>${text}</p>\n<pre><code>${escapeHtml(lines)}</code></pre>`;
  });
  return {
    title: 'Administration',
    body: `<p>This server has no admin app yet. Follow remediations with the command <code>svc-server</code>
on the server's machine; <code>--help</code> after a command describes it, and <code>svc-server doctor</code>
finds problems. The number at the end of this page's address is the id of the connection.</p>
${reconnection}${sections.join('\n')}
<p><a href="${escapeHtml(urls.docs)}/status-codes">What the status codes mean</a></p>`,
  };
}
