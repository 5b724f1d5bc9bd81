/**
 * Where remediations lead while this server has no admin app: which command of `svc-server` does what they ask for. The
 * page is the same for everybody and for every connection.
 */
import { escapeHtml, type HtmlPage } from '@svc/domain/pages/html-page';
import type { PublicUrls } from '../context.ts';

interface Remedy {
  heading: string;
  /** HTML. */
  text: string;
  /** What follows `svc-server`. */
  commands: readonly string[];
}

/** A test holds every line against the commands that there are. */
const REMEDIES: readonly Remedy[] = [
  {
    heading: 'Connect a CRM, or connect it again',
    text: 'Adding an organization that is there already gives it the new token. The token is read from a prompt or from stdin.',
    commands: [
      'connections list',
      'connections add --account ID --crm CRM --organization-id ID --organization-domain DOMAIN',
    ],
  },
  {
    heading: 'Forward events, relay replies',
    text: 'A destination or a relay does nothing until it is bound to a source. This release keeps relays but does not send copies yet.',
    commands: [
      'sources list --connection ID',
      'destinations add URL --connection ID',
      'destinations bind ID --source ID --event-types TYPE,TYPE',
      'relays add --connection ID --cc-email EMAIL',
      'relays bind ID --source ID',
    ],
  },
  {
    heading: 'Keep a block list in step with a CRM list',
    text: "The sequencer's API key is read as the CRM's token is. The first fetch begins by itself, later ones once a day or with <code>POST /api/v1/blocklists/:id/resync</code>.",
    commands: ['blocklists add --connection ID --name NAME --platform PLATFORM --type ADDRESS --crm-list-id ID'],
  },
  {
    heading: 'Switch off what is not wanted',
    text: 'What is switched off has no warning.',
    commands: ['capabilities set --connection ID --destinations off --blocklists off'],
  },
  {
    heading: 'Retry what has failed',
    text: 'Once its cause is mended: <code>POST /api/v1/syncs/:id/retry</code>, with a key that has the scope write.',
    commands: ['keys create --account ID --name NAME --scope write'],
  },
];

export function dashboardPage(urls: PublicUrls): HtmlPage {
  const sections = REMEDIES.map(({ heading, text, commands }) => {
    const lines = commands.map((command) => `svc-server ${command}`).join('\n');
    return `<h2>${escapeHtml(heading)}</h2>\n<p>${text}</p>\n<pre><code>${escapeHtml(lines)}</code></pre>`;
  });
  return {
    title: 'Administration',
    body: `<p>This server has no admin app yet. What a remediation asks for is done with the command <code>svc-server</code>,
on the machine that the server runs on; <code>--help</code> after a command tells more, and <code>svc-server doctor</code>
looks for what is wrong. The number at the end of the address that led here is the id of the connection.</p>
${sections.join('\n')}
<p><a href="${escapeHtml(urls.docs)}/status-codes">What the status codes mean</a></p>`,
  };
}
