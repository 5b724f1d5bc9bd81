/**
 * The mailbox page of a demo: the mails that its reply relays have sent to the simulated mail server. It shows mails of everybody, so
 * it exists only where a world with public keys is served on a loopback address.
 */
import { escapeHtml, type HtmlPage, pageHeaders, renderPage } from '@svc/domain/pages/html-page';
import express, { type Router } from 'express';

export const MAILBOX_PATH = '/demo/mailbox';

/** A received mail. */
export interface MailboxMail {
  readonly recipients: readonly string[];
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly subject: string;
  readonly text: string;
}

/** Returns the received mails, oldest first. */
export type Mailbox = () => readonly MailboxMail[];

const SHOWN_MAX = 50;
const SHOWN_HEADERS = ['from', 'reply-to', 'date', 'message-id', 'in-reply-to', 'references', 'auto-submitted'];

export function mailboxRouter(mailbox: Mailbox): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.get(MAILBOX_PATH, (_request, response) => {
    response.locals['operationId'] = 'mailbox';
    response.set(pageHeaders());
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Cache-Control', 'no-store');
    response.end(renderPage(mailboxPage(mailbox())));
  });
  return router;
}

/** @param mails oldest first */
function mailboxPage(mails: readonly MailboxMail[]): HtmlPage {
  const newest = mails.slice(-SHOWN_MAX).toReversed();
  const count = mails.length > SHOWN_MAX ? ` The newest ${SHOWN_MAX} of ${mails.length} are shown.` : '';
  const none =
    "<p>No mail yet. Post a reply to a source with a relay, and reload this page after the relay's delay.</p>";
  return {
    title: 'Demo mailbox',
    body: `<p>Mails that the reply relays of this demo have sent. They stay on this machine.${count}</p>
${newest.length === 0 ? none : newest.map(renderMail).join('\n')}`,
  };
}

function renderMail({ recipients, headers, subject, text }: MailboxMail): string {
  const facts = SHOWN_HEADERS.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [`${toLabel(name)}: ${value}`];
  });
  return `<h2>${escapeHtml(subject)}</h2>
<p>To ${escapeHtml(recipients.join(', '))}</p>
<pre><code>${escapeHtml(facts.join('\n'))}</code></pre>
<pre>${escapeHtml(text)}</pre>`;
}

/** `message-id` becomes `Message-Id`. */
function toLabel(name: string): string {
  return name.replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}
