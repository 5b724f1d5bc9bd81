import type { SequencerCallOptions } from '../calls/send-request.ts';
import type { SequencerUrls } from '../blocklists/index.ts';
import { createLemlistHistory } from './lemlist.ts';
import type { HistoryClient } from './types.ts';

export type { HistoryClient, HistoryItem, HistoryPage, HistoryTarget } from './types.ts';

/** The platforms whose past activity can be read. */
export const HISTORY_PLATFORMS = ['lemlist'] as const;

/** Why the events of a list could not be recognized among those that were posted, by platform. */
const REFUSALS: Readonly<Record<string, string>> = {
  smartlead:
    'the key of its events contains every time of a post, and its statistics have only some of them, so each mail would count a second time',
  instantly:
    'its events are recognized by the whole post, and its list of mails has other fields, so each event would count a second time',
  emailbison:
    'a mail in its list names neither instance nor workspace, and its replies lack the id of the event that a post has',
  'reply-io': 'an event is recognized by the id of its post, which no list has',
  heyreach: 'it is not documented that the times in its inbox are those of its posts',
  salesloft: 'no mails of it are read, and its lists of people do not say whether a person was made or changed',
  outreach: 'an event is recognized by the id of the job that posted it, which no list has',
};

/** Returns why the past activity of a platform is not read. */
export function whyNoHistory(platform: string): string {
  const reason = REFUSALS[platform] ?? 'no list of its past activity is known whose entries are those that it posts';
  return `The past activity of ${platform} is not read: ${reason}.`;
}

export interface HistoryClientsOptions extends Omit<SequencerCallOptions, 'baseUrl'> {
  /** No slash at the end. */
  baseUrls: SequencerUrls;
}

/** Creates one client per platform whose events have the same keys in its list as in its posts. */
export function createHistoryClients(options: HistoryClientsOptions): ReadonlyMap<string, HistoryClient> {
  const { baseUrls, ...shared } = options;
  const clients: Record<(typeof HISTORY_PLATFORMS)[number], HistoryClient> = {
    lemlist: createLemlistHistory({ ...shared, baseUrl: baseUrls.lemlist }),
  };
  return new Map(Object.entries(clients));
}
