import { SEQUENCER_EVENT_TYPES, type SequencerEventType } from '@svc/contract/vocabulary';

/** As what a CRM keeps an event, where it has records of that kind; each connector says which of its records that is. */
export type ActivityKind = 'mail-sent' | 'mail-received' | 'message' | 'invitation' | 'call' | 'note';

export interface Activity {
  readonly kind: ActivityKind;
  /** How the event is called in the texts of a CRM. */
  readonly label: string;
}

/** One row for each event type of the contract. */
const ACTIVITIES: Readonly<Record<SequencerEventType, Activity>> = {
  EMAIL_SENT: { kind: 'mail-sent', label: 'Email sent' },
  EMAIL_OPEN: { kind: 'note', label: 'Email opened' },
  EMAIL_LINK_CLICK: { kind: 'note', label: 'Link clicked' },
  EMAIL_OPEN_BY_BOT: { kind: 'note', label: 'Email opened by a bot' },
  EMAIL_LINK_CLICK_BY_BOT: { kind: 'note', label: 'Link clicked by a bot' },
  EMAIL_REPLY: { kind: 'mail-received', label: 'Email reply' },
  EMAIL_BOUNCE: { kind: 'note', label: 'Email bounced' },
  LEAD_UNSUBSCRIBED: { kind: 'note', label: 'Unsubscribed' },
  LEAD_CATEGORY_UPDATED: { kind: 'note', label: 'Category changed' },
  MESSAGE_SENT: { kind: 'message', label: 'Message sent' },
  MESSAGE_REPLY: { kind: 'message', label: 'Reply to message' },
  INMAIL_SENT: { kind: 'message', label: 'InMail sent' },
  INMAIL_REPLY: { kind: 'message', label: 'Reply to InMail' },
  CONNECTION_REQUEST_SENT: { kind: 'invitation', label: 'Connection request sent' },
  CONNECTION_REQUEST_ACCEPTED: { kind: 'invitation', label: 'Connection request accepted' },
  PROFILE_VIEWED: { kind: 'note', label: 'Profile viewed' },
  POST_LIKED: { kind: 'note', label: 'Post liked' },
  FOLLOW_SENT: { kind: 'note', label: 'Follow sent' },
  CALL_COMPLETED: { kind: 'call', label: 'Call completed' },
};

/** Returns the row of an event type. A platform's own name that is no type of the contract is a note: `DEAL_WON` becomes "Deal won". */
export function activityOf(eventType: string): Activity {
  if (isKnown(eventType)) return ACTIVITIES[eventType];
  const words = eventType.toLowerCase().replaceAll('_', ' ');
  return { kind: 'note', label: words.charAt(0).toUpperCase() + words.slice(1) };
}

function isKnown(eventType: string): eventType is SequencerEventType {
  return Object.hasOwn(SEQUENCER_EVENT_TYPES, eventType);
}
