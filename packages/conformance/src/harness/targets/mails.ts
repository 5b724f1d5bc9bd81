/** The mails of reply relays that arrived at a target's mail server, in a form that all targets have. */
import type { FaultRule, MailEntry } from '@svc/mock';
import type { MailSimulator, SimulatedMail } from '@svc/simulators';

/** Sender of every target. */
export const MAIL_FROM = 'Replies <replies@service.example>';

export interface ReceivedMail {
  readonly messageId: string;
  /** Addresses without names. */
  readonly from: string;
  readonly to: string;
  readonly replyTo: string | null;
  readonly subject: string;
  readonly inReplyTo: string | null;
  readonly references: string;
  readonly autoSubmitted: string;
  /** Ids of relay and event: `3/41`. */
  readonly relay: string;
  readonly text: string;
}

/** A code for every mail; `reset` breaks the connection before a mail, `lost-answer` after it has arrived. */
export type MailFailure = number | 'reset' | 'lost-answer';

export interface MailControl {
  /** Mails that arrived, oldest first, also those whose answer was lost. */
  received(): Promise<readonly ReceivedMail[]>;
  /** Every mail fails from now on; null ends it. */
  failWith(failure: MailFailure | null): Promise<void>;
}

/** Controls the mail server of a mock. */
export function controlMock(mock: {
  readonly list: () => Promise<readonly Pick<MailEntry, 'isDelivered' | 'mail'>[]>;
  readonly setFault: (rule: FaultRule | null) => Promise<unknown>;
}): MailControl {
  return {
    received: async () =>
      (await mock.list()).flatMap(({ mail, isDelivered }) => (isDelivered && mail ? fromMock(mail) : [])),
    async failWith(failure) {
      await mock.setFault(failure === null ? null : { operations: ['mail'], effect: toEffect(failure) });
    },
  };
}

function toEffect(failure: MailFailure): FaultRule['effect'] {
  if (typeof failure === 'number') return { kind: 'status', status: failure };
  return { kind: 'reset', when: failure === 'reset' ? 'before' : 'after' };
}

export function fromMock(mail: NonNullable<MailEntry['mail']>): ReceivedMail {
  const { messageId, from, to, replyTo, subject, inReplyTo, references, headers, text } = mail;
  const relay = Object.entries(headers).find(([name]) => RELAY_HEADER.test(name))?.[1] ?? '';
  return {
    ...{ messageId, from: from.address, to: to.address, replyTo: replyTo?.address ?? null, subject, inReplyTo, relay },
    references: references.join(' '),
    autoSubmitted: headers['Auto-Submitted'] ?? '',
    text: toLines(text),
  };
}

export function controlSimulator(simulator: MailSimulator): MailControl {
  return {
    received: async () => simulator.mails().map(fromSimulator),
    failWith: async (failure) => simulator.failAlways(failure),
  };
}

function fromSimulator({ headers, subject, text }: SimulatedMail): ReceivedMail {
  const relay = Object.entries(headers).find(([name]) => RELAY_HEADER.test(name))?.[1] ?? '';
  return {
    messageId: headers['message-id'] ?? '',
    from: addressIn(headers['from']) ?? '',
    to: addressIn(headers['to']) ?? '',
    replyTo: addressIn(headers['reply-to']),
    subject,
    inReplyTo: headers['in-reply-to'] ?? null,
    references: headers['references'] ?? '',
    autoSubmitted: headers['auto-submitted'] ?? '',
    relay,
    text: toLines(text),
  };
}

const RELAY_HEADER = /^x-.*-relay$/i;

function addressIn(header: string | undefined): string | null {
  if (header === undefined) return null;
  return /<([^<>]*)>\s*$/.exec(header)?.[1] ?? header;
}

/** Mail programs may end lines and texts in their own way. */
function toLines(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd();
}
