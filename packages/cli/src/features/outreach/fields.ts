import type { ContactOutreachResponse } from '@svc/sdk';

/** Those of the contract, in its order, but `blocklists`: in this release it is the same in every answer and says nothing. */
export const OUTREACH_FIELDS = [
  'email',
  'query',
  'query.email',
  'query.profileUrls',
  'found',
  'summary',
  'summary.everContacted',
  'summary.everEmailed',
  'summary.everOpened',
  'summary.everCalled',
  'summary.everSocialTouched',
  'summary.totalEvents',
  'summary.firstTouchAt',
  'summary.lastTouchAt',
  'summary.daysSinceLastTouch',
  'summary.lastEventType',
  'summary.lastPlatform',
  'eventTypes',
  'eventTypes.eventType',
  'eventTypes.count',
  'eventTypes.firstAt',
  'eventTypes.lastAt',
  'platforms',
  'platforms.platform',
  'platforms.count',
  'platforms.lastAt',
  'platforms.lastEventType',
  'outcomes',
  'outcomes.replied',
  'outcomes.lastReplyAt',
  'outcomes.bounced',
  'outcomes.unsubscribed',
  'outcomes.lastCategoryName',
  'outcomes.lastCategoryAt',
  'doNotContact',
  'doNotContact.value',
  'doNotContact.reasons',
] as const;

/** The answer without what nobody may decide by. */
export function toShownOutreach(outreach: ContactOutreachResponse): Omit<ContactOutreachResponse, 'blocklists'> {
  const { blocklists: _saysNothing, ...shown } = outreach;
  return shown;
}
