/**
 * Alerts: messages to operators about incidents. A topic is a kind of incident; a channel is a place that alerts are sent to, such as a
 * channel of Slack.
 *
 * 1. An incident is about one subject, such as a connection. A channel gets one message when it begins and one when it ends,
 *    however long it lasts.
 * 2. An interested reply begins and ends at once: it has one message.
 * 3. Messages name rows by their ids and kinds. They have nothing of a payload and no person.
 */
import { connectionDashboardUrl, withoutTrailingSlash } from '../account/dashboard-links.ts';

export const ALERT_TOPICS = [
  'crm-disconnected',
  'source-failing',
  'source-silent',
  'receipts-not-understood',
  'blocklist-stuck',
  'daily-limit-near',
  'wiring-drift',
  'interested-reply',
] as const;
export type AlertTopic = (typeof ALERT_TOPICS)[number];

/** `webhook`: signed JSON for programs. */
export const CHANNEL_KINDS = ['slack', 'teams', 'discord', 'mail', 'webhook'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export const ALERT_MESSAGE_KINDS = ['opened', 'recovered', 'test'] as const;
export type AlertMessageKind = (typeof ALERT_MESSAGE_KINDS)[number];

/** What is known of an incident when it begins. Which facts there are depends on the topic. */
export type AlertFacts = Readonly<Record<string, string | number | null>>;

export interface AlertIncident {
  readonly id: number;
  readonly topic: AlertTopic;
  readonly accountId: number;
  readonly connectionId: number | null;
  readonly sourceId: number | null;
  readonly facts: AlertFacts;
  readonly openedAt: Date;
  /** Since when its condition no longer holds; null while it does. */
  readonly clearedAt: Date | null;
}

/** A message for people, before it gets the form of its channel. All of it is plain text. */
export interface Alert {
  readonly kind: AlertMessageKind;
  /** One line. */
  readonly title: string;
  readonly lines: readonly string[];
  readonly link: { readonly text: string; readonly url: string } | null;
}

/**
 * Describes an incident for people.
 *
 * @param dashboardUrl where the dashboard is for the reader; null when only this machine can reach it
 */
export function describeIncident(
  kind: Exclude<AlertMessageKind, 'test'>,
  incident: AlertIncident,
  dashboardUrl: string | null,
): Alert {
  const { accountId, facts, openedAt, clearedAt } = incident;
  const { problem, recovery, fix, path } = TEXTS[incident.topic];
  const place = `Account ${accountId}`;
  const link = dashboardUrl === null ? null : { text: 'Open the dashboard', url: linkOf(dashboardUrl, path, incident) };
  if (kind === 'recovered') {
    const until = clearedAt === null ? '' : ` until ${toMinute(clearedAt)}`;
    return { kind, title: `Recovered: ${recovery(facts)}`, lines: [`${place}, ${toMinute(openedAt)}${until}.`], link };
  }
  return { kind, title: problem(facts), lines: [`${place}, since ${toMinute(openedAt)}.`, fix(facts)], link };
}

export function describeTest(channelId: number): Alert {
  const lines = [`Alert channel ${channelId} works: svc-server alerts test sent this message.`];
  return { kind: 'test', title: 'Test alert', lines, link: null };
}

function toMinute(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function linkOf(dashboardUrl: string, path: TopicText['path'], { connectionId, sourceId }: AlertIncident): string {
  if (path === 'connection' && connectionId !== null) return connectionDashboardUrl(dashboardUrl, connectionId);
  if (path === 'source' && sourceId !== null) return `${withoutTrailingSlash(dashboardUrl)}/sources/${sourceId}`;
  return path === 'blocklists' ? `${withoutTrailingSlash(dashboardUrl)}/blocklists` : dashboardUrl;
}

interface TopicText {
  /** A title, without a period. */
  readonly problem: (facts: AlertFacts) => string;
  /** What holds again. */
  readonly recovery: (facts: AlertFacts) => string;
  /** What to do. */
  readonly fix: (facts: AlertFacts) => string;
  readonly path: 'connection' | 'source' | 'blocklists';
}

const sourceOf = ({ platform, sourceId }: AlertFacts) => `${platform} source ${sourceId}`;
const crmOf = ({ crm, connectionId }: AlertFacts) => `${crm} connection ${connectionId}`;

const TEXTS: Readonly<Record<AlertTopic, TopicText>> = {
  'crm-disconnected': {
    problem: (facts) => `${crmOf(facts)} is disconnected, so its events are not written`,
    recovery: (facts) => `${crmOf(facts)} is connected`,
    fix: () => 'Connect it again; svc-server doctor says how. Then retry the syncs that failed.',
    path: 'connection',
  },
  'source-failing': {
    problem: (facts) => `Syncs from ${sourceOf(facts)} to ${facts['crm']} are failing`,
    recovery: (facts) => `syncs from ${sourceOf(facts)} to ${facts['crm']} work`,
    fix: ({ failures }) =>
      `${failures} syncs in a row failed. The last failed sync of the source says why; check access and field mapping of the CRM.`,
    path: 'source',
  },
  'source-silent': {
    problem: (facts) => `${sourceOf(facts)} has gone silent`,
    recovery: (facts) => `${sourceOf(facts)} posts`,
    fix: ({ silentHours, usualHours }) =>
      `It has posted nothing for ${silentHours} hours; its longest pause in the two weeks before was ${usualHours} hours. Check in the sequencer that campaigns run and that the webhook is switched on and has the URL of the source.`,
    path: 'source',
  },
  'receipts-not-understood': {
    problem: (facts) => `Posts of ${sourceOf(facts)} are not understood`,
    recovery: (facts) => `posts of ${sourceOf(facts)} are understood`,
    fix: ({ unparsed, received, sourceId }) =>
      `${unparsed} of ${received} posts of the last hour were kept but not read. svc-server requests list --source ${sourceId} shows them; after a new mapping or release, svc-server requests reprocess reads them.`,
    path: 'source',
  },
  'blocklist-stuck': {
    problem: ({ blocklistId, platform }) => `Block list ${blocklistId} of ${platform} is stuck`,
    recovery: ({ blocklistId, platform }) => `block list ${blocklistId} of ${platform} is pushed`,
    fix: () => 'People on it may still get mails. svc-server blocklists list has the error and what to do about it.',
    path: 'blocklists',
  },
  'daily-limit-near': {
    problem: (facts) => `${crmOf(facts)} has used ${facts['percent']} % of its calls for the day`,
    recovery: (facts) => `${crmOf(facts)} has calls left for the day`,
    fix: () =>
      'When none are left, its events wait until the CRM counts anew. Other apps of the CRM account use the same calls.',
    path: 'connection',
  },
  'wiring-drift': {
    problem: (facts) => `The webhook of ${sourceOf(facts)} at its sequencer is not as it was registered`,
    recovery: (facts) => `the webhook of ${sourceOf(facts)} is as it was registered`,
    fix: ({ sourceId }) => `Events may not arrive. svc-server sources connect ${sourceId} registers it again.`,
    path: 'source',
  },
  'interested-reply': {
    problem: (facts) => `An interested reply arrived at ${sourceOf(facts)}`,
    recovery: (facts) => `an interested reply arrived at ${sourceOf(facts)}`,
    fix: ({ requestId }) => `svc-server requests show ${requestId} shows it.`,
    path: 'source',
  },
};
