import { ALERT_TOPICS, type AlertMessageKind, type AlertTopic, CHANNEL_KINDS } from '@svc/domain/alerts/alert';
import type { AlertChannelRow, AlertMessageStatus } from '@svc/engine/store/alerts';
import * as z from 'zod';
import { declare, flagged, list, noun, one } from './declare.ts';
import { email, id, oneOf, parseNames, secret } from './fields.ts';
import { declareRemoval } from './removal.ts';
import { renderTable } from './table.ts';

export interface OpenIncident {
  id: number;
  topic: AlertTopic;
  accountId: number;
  connectionId: number | null;
  sourceId: number | null;
  summary: string;
  openedAt: Date;
}

export interface ClosedIncident extends OpenIncident {
  closedAt: Date;
}

export interface TestedAlert {
  kind: AlertMessageKind;
  status: AlertMessageStatus;
  error: string | null;
}

const oneChannel = oneOf('channel', 'alerts');
const topics = z
  .array(z.enum(ALERT_TOPICS, `must be of ${ALERT_TOPICS.join(', ')}`))
  .min(1, 'must name at least one topic')
  .meta(flagged('--topics <names>', `with commas, of ${ALERT_TOPICS.join(', ')}`, { parse: parseNames }));
const to = email.meta(flagged('--to <address>', 'where mails go'));
/** In clear text; stored encrypted. */
const url = secret.meta(flagged('--url-file <file>', 'read the URL from this file', { secret: 'URL', unless: 'to' }));

export const addAlert = declare({
  name: 'alerts/add',
  description: 'add a channel that alerts are sent to; its URL is read from stdin or a prompt',
  details:
    'See [alert channels](../../docs/alert-channels.md). The URL is stored encrypted and never shown. The channel gets no messages about incidents that began before.',
  example: '--account 1 --kind slack < url.txt',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({
    accountId: id.meta(flagged('--account <id>', 'for the alerts of this account')).optional(),
    isInstallation: z.boolean().default(false).meta(flagged('--installation', 'for the alerts of all accounts')),
    kind: z
      .enum(CHANNEL_KINDS, `must be one of ${CHANNEL_KINDS.join(', ')}`)
      .meta(flagged('--kind <kind>', `${CHANNEL_KINDS.join(', ')} (webhook: signed JSON)`)),
    topics: topics.default([...ALERT_TOPICS]).meta({ description: 'default: all' }),
    to: to.optional(),
    url: url.optional(),
  }),
  result: {
    channel: one<AlertChannelRow>(),
    /** Shown once; null for other kinds than signed JSON. */
    signingSecret: one<string | null>(),
  },
  print: ({ channel, signingSecret }) => {
    const sentence = `Alert channel ${channel.id} (${channel.kind}, ${channel.place}) is added. Try it: svc-server alerts test ${channel.id}`;
    if (signingSecret === null) return sentence;
    return { text: signingSecret, note: `${sentence}\nThis is its signing secret, which is not shown again.` };
  },
});

export const updateAlert = declare({
  name: 'alerts/update',
  description: 'change the topics of a channel, or the address of one that mails',
  example: '1 --topics crm-disconnected,source-silent',
  permission: 'write',
  input: z.strictObject({ id: oneChannel, topics: topics.optional(), to: to.optional() }),
  result: { channel: one<AlertChannelRow>() },
  print: ({ channel }) => `Alert channel ${channel.id} is changed.`,
});

export const setAlertUrl = declare({
  name: 'alerts/set-url',
  description: 'replace the URL of a channel; the new one is read from stdin or a prompt',
  details: 'A channel of signed JSON keeps its signing secret, unless that was lost.',
  example: '1 < url.txt',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({ id: oneChannel, url }),
  result: { channel: one<AlertChannelRow>(), signingSecret: one<string | null>() },
  print: ({ channel, signingSecret }) => {
    const sentence = `Alert channel ${channel.id} posts to ${channel.place}.`;
    if (signingSecret === null) return sentence;
    return { text: signingSecret, note: `${sentence}\nThis is its new signing secret, which is not shown again.` };
  },
});

export const testAlert = declare({
  name: 'alerts/test',
  description: 'send a test message to a channel',
  details: 'Exits with 1 when it could not be sent.',
  example: '1',
  permission: 'write',
  input: z.strictObject({ id: oneChannel }),
  result: { channel: one<AlertChannelRow>(), message: one<TestedAlert>() },
  isIncomplete: ({ message }) => message.status === 'failed' || message.error !== null,
  print: ({ channel, message: { status, error } }) => {
    if (status === 'sent') return `The test message was sent to ${channel.place}.`;
    if (status === 'failed') return `The test message could not be sent to ${channel.place}: ${error}.`;
    const why = error === null ? 'no worker has taken it yet' : `the first attempt failed: ${error}`;
    return `The test message to ${channel.place} waits, because ${why}. svc-server alerts list shows what became of it.`;
  },
});

export const removeAlert = declareRemoval('alert', 'remove a channel of alerts');

export const listAlerts = declare({
  name: 'alerts/list',
  description: 'list the channels of alerts, whether each works, and the incidents that are open',
  example: '--account 1',
  permission: 'read',
  input: z.strictObject({
    accountId: id.meta(flagged('--account <id>', 'only what is about this account')).optional(),
  }),
  result: {
    /** With --account: those of the installation too. */
    channels: list<AlertChannelRow>(),
    incidents: list<OpenIncident>(),
    /** The ones that ended last, newest first. */
    closed: list<ClosedIncident>(),
  },
  print: ({ channels, incidents }) => {
    const table = renderTable(
      channels,
      {
        ID: 'id',
        ACCOUNT: (row) => row.accountId ?? 'all',
        KIND: 'kind',
        PLACE: 'place',
        TOPICS: (row) => (row.topics.length === ALERT_TOPICS.length ? 'all' : row.topics.join(', ')),
        'LAST SENT': (row) => row.lastSentAt ?? '',
        WAITING: 'waitingCount',
        ERROR: (row) => (row.isUsable ? (row.lastError ?? '') : 'its URL is lost'),
      },
      'There are no channels of alerts yet: add one with svc-server alerts add.',
    );
    if (incidents.length === 0) return table;
    const open = incidents.map(
      ({ accountId, openedAt, summary }) => `- account ${accountId}, since ${openedAt}: ${summary}`,
    );
    return `${table}\n\nOpen incidents:\n${open.join('\n')}`;
  },
});

export const alerts = noun('alerts', 'messages about incidents to Slack, Teams, Discord, mail or a webhook', [
  addAlert,
  updateAlert,
  setAlertUrl,
  testAlert,
  removeAlert,
  listAlerts,
]);
