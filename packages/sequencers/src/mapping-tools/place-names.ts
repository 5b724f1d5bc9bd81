/**
 * Under which names payloads usually have each field, in the order of preference. Words of one entry appear in this order in the
 * keys of a path, and the last one ends it: `lead email` fits `lead.email`, `leadEmail` and `data.lead.work_email`.
 */
import type { MappedField } from '@svc/domain/mappings/event-mapping';

export interface PlaceNames {
  readonly names: readonly string[];
  /** With one of these words, the path names another field. */
  readonly not?: readonly string[];
  /** With one of these words in the key itself, or right before a key of one word, the path names another field. */
  readonly notNear?: readonly string[];
  /** Only for names that many things have, such as `title`: every key around such a name must be one of these words, or wrap an event. */
  readonly within?: readonly string[];
}

export const OURS = [
  ...['from', 'sender', 'sending', 'mailbox', 'inbox', 'rep', 'owner', 'user', 'agent', 'seller', 'our', 'own', 'sdr'],
  ...['assignee', 'creator', 'cc', 'bcc', 'workspace', 'teammate', 'caller', 'operator'],
];
export const LEADS = [
  'lead',
  'prospect',
  'contact',
  'recipient',
  'person',
  'customer',
  'target',
  'candidate',
  'receiver',
  'callee',
];
const OTHERS = [
  'campaign',
  'sequence',
  'cadence',
  'company',
  'organization',
  'category',
  'status',
  'template',
  'workspace',
];

/** Returns `lead email`, `prospect email`, ... */
function ofLead(...names: string[]): string[] {
  return names.flatMap((name) => LEADS.map((lead) => `${lead} ${name}`));
}

/** Fields that are found by more than their name, or that only a person can choose. */
type NotByName = 'eventName' | 'eventKey' | 'custom' | 'tags' | 'leadUrl';

export const PLACE_NAMES: Readonly<Record<Exclude<MappedField, NotByName>, PlaceNames>> = {
  occurredAt: {
    names: [
      ...[
        'occurred at',
        'occurred',
        'happened at',
        'event time',
        'event timestamp',
        'event date',
        'event at',
        'timestamp',
      ],
      ...[
        'time',
        'ts',
        'at',
        'when',
        'date',
        'datetime',
        'sent at',
        'opened at',
        'clicked at',
        'replied at',
        'received at',
      ],
      ...[
        'sent',
        'opened',
        'clicked',
        'replied',
        'received',
        'time sent',
        'time opened',
        'time clicked',
        'time replied',
      ],
      ...['sent on', 'sent date', 'ended at', 'created at', 'created', 'createdat', 'created on'],
    ],
    not: [...LEADS, ...OTHERS, 'updated', 'scheduled', 'account'],
  },
  email: {
    names: [
      ...ofLead('email', 'email address', 'mail', 'address'),
      ...['to email', 'to address', 'email address', 'email', 'mail', 'to', ...LEADS],
    ],
    not: OURS,
  },
  profileUrl: {
    names: [
      'linkedin url',
      'linkedin profile url',
      'linkedin profile',
      'linkedin',
      'profile url',
      'profile',
      'social url',
    ],
    not: OURS,
  },
  firstName: { names: ['first name', 'firstname', 'given name', 'givenname', 'first', 'fname'], not: OURS },
  lastName: { names: ['last name', 'lastname', 'family name', 'surname', 'last', 'lname'], not: OURS },
  fullName: {
    names: ['full name', 'fullname', ...ofLead('name', 'display name'), 'to name', ...LEADS],
    not: [...OURS, ...OTHERS, 'first', 'last', 'event', 'file'],
  },
  companyName: {
    names: [
      'company name',
      'companyname',
      'organization name',
      'organisation name',
      'account name',
      'employer',
      'company',
      'organization',
      'organisation',
    ],
    not: [...OURS, 'domain', 'website', 'url', 'email', 'mail'],
  },
  companyDomain: {
    names: [
      'company domain',
      'company website',
      'company url',
      'organization domain',
      'organization website',
      'domain',
      'website',
      'web site',
    ],
    not: [...OURS, 'tracking'],
  },
  jobTitle: {
    names: ['job title', 'jobtitle', 'job position', 'position', 'job', ...ofLead('title'), 'title', 'role'],
    not: [...OURS, ...OTHERS],
    within: [...LEADS, 'job', 'work', 'employment', 'current', 'linkedin'],
  },
  phone: {
    names: ['phone number', 'phonenumber', 'phone', 'mobile', 'telephone', 'cell', ...ofLead('number'), 'to number'],
    not: OURS,
  },
  fromEmail: {
    names: OURS.flatMap((word) => [`${word} email address`, `${word} email`, `${word} address`, word]).concat(
      OURS.map((word) => `${word} account`),
      ['email account', 'mail account', 'campaign email', 'account email', 'account'],
    ),
    not: ['cc', 'bcc', 'creator'],
    notNear: LEADS,
  },
  campaignId: {
    names: [
      'campaign id',
      'campaignid',
      'sequence id',
      'sequenceid',
      'cadence id',
      'cadenceid',
      'flow id',
      'flowid',
      'journey id',
    ],
    not: [],
  },
  campaignName: {
    names: [
      'campaign name',
      'campaignname',
      'campaign title',
      'sequence name',
      'sequencename',
      'sequence title',
      'cadence name',
      'cadencename',
      'flow name',
      'flow title',
      'journey name',
      'journey title',
      'campaign',
      'cadence',
      'sequence',
    ],
    not: ['id'],
  },
  sequenceNumber: {
    names: [
      'step number',
      'stepnumber',
      'step no',
      'stepno',
      'step num',
      'step index',
      'sequence number',
      'sequence step',
      'step position',
      'step order',
      'step',
      'sequence position',
    ],
    not: ['id'],
  },
  subject: { names: ['reply subject', 'message subject', 'email subject', 'mail subject', 'subject', 'subject line'] },
  bodyHtml: { names: ['reply html', 'body html', 'html body', 'html', 'html content', 'message html'] },
  bodyText: {
    names: [
      'reply text',
      'reply body',
      'body text',
      'text body',
      'plain text',
      'plaintext',
      'body plain',
      'text',
      'message text',
      'message body',
      'body',
      'content',
      'message',
      'reply',
      'snippet',
    ],
    not: ['html', 'id', 'subject', 'type'],
  },
  messageId: {
    names: [
      'message id',
      'messageid',
      'msg id',
      'msgid',
      'mail id',
      'email message id',
      'rfc id',
      'email id',
      ...['message', 'mail', 'email'].map((word) => `${word} uid`),
    ],
    not: ['in', 'thread', 'original', 'parent', 'event', 'lead'],
  },
  answeredMessageId: {
    names: [
      'in reply to',
      'inreplyto',
      'reply to message id',
      'original message id',
      'parent message id',
      'answered message id',
    ],
  },
  categoryId: { names: ['category id', 'label id', 'tag id', 'lead status id'], not: ['campaign'] },
  categoryName: {
    names: [
      'category name',
      'new category',
      'category',
      'sentiment',
      'disposition',
      'lead status',
      'new status',
      'label name',
      'tag name',
      'label',
      'labels',
      'tag',
      'tags',
      'interest',
      'interested',
      'outcome',
    ],
    not: ['id', 'campaign', 'old', 'previous', 'event', 'snippet', 'source', 'thread'],
  },
  linkUrls: {
    names: [
      'clicked url',
      'clicked link',
      'click url',
      'link url',
      'link href',
      'links',
      'link',
      'url',
      'href',
      'clicked',
      'target url',
    ],
    not: ['linkedin', 'profile', 'company', 'website', 'app', 'unsubscribe', 'avatar', 'photo', 'recording'],
  },
  isAutomaticReply: {
    names: [
      'is auto reply',
      'auto reply',
      'autoreply',
      'is auto',
      'automatic reply',
      'is automatic',
      'automated',
      'is automated',
      'out of office',
      'ooo',
    ],
  },
  leadId: { names: ofLead('id') },
};

/** Names of the sender of a mail, who may be the lead or the owner of the mailbox. */
export const NAMES_OF_SENDERS: PlaceNames = {
  names: ['from name', 'sender name', 'from full name', 'author name'],
  not: ['file', 'campaign'],
};
export const NAMES_OF_RECIPIENTS: PlaceNames = {
  names: ['to name', 'recipient name', 'receiver name', 'to full name'],
  not: ['file', 'campaign'],
};

export const EVENT_NAMES: PlaceNames = {
  names: [
    ...[
      'event type',
      'eventtype',
      'event name',
      'eventname',
      'event',
      'webhook event',
      'trigger',
      'action',
      'activity type',
    ],
    ...['activity', 'topic', 'metric name', 'metric', 'method', 'type', 'event kind', 'kind', 'what', 'name', 'verb'],
    ...['status'],
  ],
  not: ['campaign', 'company', 'content', 'channel', 'first', 'last'],
};

/** A field beside the event name that says what was opened or sent. */
export const CHANNELS: PlaceNames = {
  names: [
    'channel',
    'object type',
    'object',
    'resource type',
    'resource',
    'medium',
    'entity',
    'activity type',
    'touch type',
    'type',
  ],
};
export const CHANNEL_WORDS = ['email', 'mail', 'linkedin', 'message', 'inmail', 'call', 'phone', 'connection'];

/** A field that says who wrote a mail. */
export const DIRECTIONS: PlaceNames = { names: ['direction', 'email direction', 'message direction'] };
export const DIRECTION_WORDS = ['incoming', 'outgoing', 'inbound', 'outbound'];

/** Words that make a key an id. */
export const ID_WORDS = ['id', 'uuid', 'guid', 'uid'];
/** Owners of ids that no two events share. */
export const EVENT_WORDS = ['event', 'activity', 'notification', 'log', 'occurrence', 'delivery', 'call', 'meeting'];
/** Owners of ids that many events share, also beside one of the words above. */
export const SCOPE_WORDS = [
  ...[...LEADS, ...OURS, ...OTHERS, 'webhook', 'hook', 'subscription', 'account', 'team', 'org', 'client', 'tenant'],
  ...['chat', 'conversation', 'thread', 'message', 'mail', 'email', 'step', 'list', 'tag', 'label', 'flow', 'journey'],
];
/** Keys around an event, which say nothing about what is in them. */
export const WRAPPER_WORDS = [
  ...[
    'data',
    'payload',
    'body',
    'attribute',
    'object',
    'record',
    'event',
    'detail',
    'info',
    'item',
    'param',
    'webhook',
  ],
  ...[
    'property',
    'properties',
    'field',
    'custom',
    'variable',
    'profile',
    'value',
    'result',
    'content',
    'context',
    'meta',
  ],
];
