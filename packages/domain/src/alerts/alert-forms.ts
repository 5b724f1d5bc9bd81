/** The forms of an alert for programs and as mail. `chat-forms.ts` has those of chats. */
import { type MailAddress, domainOf, toHeaderText } from '../relays/mail-address.ts';
import type { RelayMail } from '../relays/relay-mail.ts';
import { textAsHtml } from '../relays/relay-template.ts';
import type { Alert, AlertIncident } from './alert.ts';

/** What the message is about besides its texts; null for a test. */
export interface AlertMessageFacts {
  readonly messageId: number;
  readonly createdAt: Date;
  readonly incident: AlertIncident | null;
}

/** Returns the JSON that is signed. Its `type` is none of the types of platform events. */
export function toAlertJson(alert: Alert, { messageId, createdAt, incident }: AlertMessageFacts): string {
  return JSON.stringify({
    id: `alert_${messageId}`,
    type: `alert.${alert.kind}`,
    created: createdAt.toISOString(),
    summary: alert.title,
    data:
      incident === null
        ? {}
        : {
            ...{ incidentId: incident.id, topic: incident.topic, accountId: incident.accountId },
            ...{ connectionId: incident.connectionId, sourceId: incident.sourceId, facts: incident.facts },
            openedAt: incident.openedAt.toISOString(),
            recoveredAt: alert.kind === 'recovered' ? (incident.clearedAt?.toISOString() ?? null) : null,
            remediation: alert.kind === 'opened' ? (alert.lines.at(-1) ?? null) : null,
            url: alert.link?.url ?? null,
          },
  });
}

const SUBJECT_MAX = 200;

/** Returns the mail. Each attempt has the same message id, so that mail programs show a repeated mail once. */
export function toAlertMail(
  { title, lines, link }: Alert,
  { messageId, createdAt }: AlertMessageFacts,
  { from, to }: { from: MailAddress; to: MailAddress },
): RelayMail {
  const linked = link === null ? [] : [`${link.text}: ${link.url}`];
  const text = [title, ...lines, ...linked].join('\n\n');
  const unique = `${messageId}.${createdAt.getTime().toString(36)}`;
  return {
    messageId: `<svc-alert.${unique}@${domainOf(from.address)}>`,
    ...{ from, to, replyTo: null, inReplyTo: null, references: [] },
    subject: toHeaderText(title, SUBJECT_MAX),
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: `${text}\n`,
    html: `${[title, ...lines, ...linked].map((line) => `<p>${textAsHtml(line)}</p>`).join('\n')}\n`,
  };
}
