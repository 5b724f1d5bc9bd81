import * as Flags from '@oclif/core/flags';
import { SEQUENCER_EVENT_TYPES } from '@svc/contract/vocabulary';
import { findNearest, listAlternatives } from '../../errors/nearest.ts';

/** Filters that the API does not have. The command reads every row of the range and keeps the rows that match. */
export const ownFilterFlags = {
  email: Flags.string({
    description: 'Only this recipient, an email address or profile URL as shown; filtered here, not by the API',
    helpValue: 'ADDRESS',
  }),
  event: Flags.string({
    description: 'Only events of this type, such as EMAIL_REPLY; filtered here',
    helpValue: 'TYPE',
  }),
  request: Flags.integer({ description: 'Only those of this request; filtered here', helpValue: 'ID', min: 1 }),
};

export interface OwnFilters {
  readonly email?: string | undefined;
  readonly event?: string | undefined;
  readonly request?: number | undefined;
}

interface EventRow {
  readonly toEmail: string | null;
  readonly eventType: string | null;
  readonly payloadId: number | null;
}

/** Returns whether a row matches, ignoring the case of text; null without such filters. */
export function matcherOf({ email, event, request }: OwnFilters): ((row: EventRow) => boolean) | null {
  if (email === undefined && event === undefined && request === undefined) return null;
  const isSame = (wanted: string | undefined, value: string | null) =>
    wanted === undefined || wanted.toLowerCase() === value?.toLowerCase();
  return ({ toEmail, eventType, payloadId }) =>
    isSame(email, toEmail) && isSame(event, eventType) && (request === undefined || request === payloadId);
}

/** Returns a sentence with the event types that were probably meant. Empty for known types, and if nothing is close. */
export function suggestEventType({ event }: OwnFilters): string {
  const types = Object.keys(SEQUENCER_EVENT_TYPES);
  const typed = event?.toUpperCase() ?? '';
  if (typed === '' || types.includes(typed)) return '';
  const nearest = findNearest(typed, types);
  const meant = nearest === null ? types.filter((type) => type.split('_').includes(typed)) : [nearest];
  return meant.length === 0 ? '' : ` Did you mean --event ${listAlternatives(meant)}?`;
}
