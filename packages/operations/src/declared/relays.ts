import { LIMITS } from '@svc/contract/limits';
import type { ReplyRelay } from '@svc/contract/types';
import { RELAY_MAIL_STATUSES, type RelayMailStatus } from '@svc/domain/relays/relay-attempts';
import { templateProblem } from '@svc/domain/relays/relay-template';
import { type RecipientRoute, type RelayRoute, relayRoutes, routeName } from '@svc/domain/relays/relay-routes';
import * as z from 'zod';
import { declare, list, noun, one, notices, flagged } from './declare.ts';
import { collect, count, email, id, listFilter, name, oneOf, text } from './fields.ts';
import { declareRemoval } from './removal.ts';
import { renderTable } from './table.ts';

const DELAY_MINUTES_MAX = 30 * 24 * 60;
const BODY_TEMPLATES_MAX = 100;

const description = text(500).meta(flagged('--description <text>', 'description'));
const ccEmail = email.meta(
  flagged('--cc-email <email>', 'the sales rep who gets the copy, unless a route names another'),
);
const delayMinutes = z
  .int('must be a whole number of minutes')
  .min(0, 'must not be negative')
  .max(DELAY_MINUTES_MAX, `must be at most ${DELAY_MINUTES_MAX}, which is 30 days`)
  .meta(flagged('--delay-minutes <number>', 'delay after a reply'));
const bodyTemplates = z
  .array(
    text(20_000)
      .refine((value) => value.trim() !== '', 'must not be empty')
      .superRefine((value, check) => {
        const problem = templateProblem(value);
        if (problem !== null) check.addIssue({ code: 'custom', message: problem });
      }),
  )
  .max(BODY_TEMPLATES_MAX, `must be at most ${BODY_TEMPLATES_MAX} templates`)
  .meta({ flag: '--body-template <text>', parse: collect });
/** Empty: every reply is relayed. */
const categoryAllowlist = z
  .array(z.strictObject({ id: name(200), name: name(200) }))
  .max(LIMITS.relayCategoryAllowlistMax, `must have at most ${LIMITS.relayCategoryAllowlistMax} entries`)
  .refine((entries) => new Set(entries.map((entry) => entry.id)).size === entries.length, 'names a category twice')
  .meta({ flag: '--category <id=name>', parse: collectCategory });

/** A relay with what the API does not show. */
export interface AdminReplyRelay extends ReplyRelay {
  /** What chooses the recipient of a reply; null: all go to `ccEmail`. */
  routes: RelayRoute[] | null;
}

const ROUTES = 'what chooses the recipient of a reply, as JSON or YAML';

export const addRelay = declare({
  name: 'relays/add',
  description: 'add a relay; it does nothing until it is bound to a source',
  details: 'See [reply relays](../../docs/relays.md).',
  example: '--connection 1 --cc-email rep@example.com --delay-minutes 15 --category 7=Interested',
  permission: 'write',
  input: z.strictObject({
    connectionId: id.meta(flagged('--connection <id>', 'the connection whose replies it may receive')),
    ccEmail,
    delayMinutes: delayMinutes.default(0),
    description: description.default(''),
    bodyTemplates: bodyTemplates.default([]).meta({
      description: 'a text to send, with fields such as {{leadName}}; repeatable: replies take turns',
    }),
    categoryAllowlist: categoryAllowlist.default([]).meta({
      description: `only leads with this category; repeatable, up to ${LIMITS.relayCategoryAllowlistMax} times`,
    }),
    routes: relayRoutes.meta(flagged('--routes <file>', ROUTES, { file: 'yaml' })).optional(),
  }),
  result: { replyRelay: one<AdminReplyRelay>(), notices },
  print: ({ replyRelay }) =>
    `Relay ${replyRelay.id} to ${replyRelay.ccEmail} is added to connection ${replyRelay.connectionId}. Bind it to a source: svc-server relays bind ${replyRelay.id} --source ID`,
});

export const updateRelay = declare({
  name: 'relays/update',
  description: 'change the given settings of a relay; given lists replace existing ones',
  example: '2 --delay-minutes 30 --no-category',
  permission: 'write',
  input: z.strictObject({
    id: oneOf('relay'),
    ccEmail: ccEmail.optional(),
    delayMinutes: delayMinutes.optional(),
    description: description.optional(),
    bodyTemplates: bodyTemplates
      .meta({
        description: 'a text to send, with fields such as {{leadName}}; repeatable',
        none: 'remove all texts',
      })
      .optional(),
    categoryAllowlist: categoryAllowlist
      .meta({ description: 'only leads with this category; repeatable', none: 'relay all replies again' })
      .optional(),
    routes: relayRoutes
      .nullable()
      .meta(flagged('--routes <file>', ROUTES, { file: 'yaml', none: 'mail all replies to the fixed address again' }))
      .optional(),
  }),
  result: { replyRelay: one<AdminReplyRelay>() },
  print: ({ replyRelay }) => `Relay ${replyRelay.id} to ${replyRelay.ccEmail} is changed.`,
});

/** One mail of a relay. */
export interface AdminRelayMail {
  id: number;
  relayId: number;
  connectionId: number;
  status: RelayMailStatus;
  attempts: number;
  /** Above 0, the mail may have arrived more than once, with the same message id. */
  unconfirmedAttempts: number;
  smtpCode: number | null;
  /** The recipient; before the first attempt the fixed address, null when the relay was removed. */
  to: string | null;
  /** What chose the recipient; null before the first attempt. */
  route: RecipientRoute | null;
  /** Why a route could not be asked. */
  routeNote: string | null;
  lead: string | null;
  messageId: string | null;
  /** Why it was not sent, or waits. */
  reason: string | null;
  dueAt: Date;
  nextAttemptAt: Date | null;
  endedAt: Date | null;
}

export const listRelayLog = declare({
  name: 'relays/log',
  description: 'list the mails of relays, newest first',
  details: 'It names the reason of those that were not sent.',
  example: '--relay 2 --status failed',
  permission: 'read',
  input: z.strictObject({
    relayId: id.meta(flagged('--relay <id>', 'only of this relay')).optional(),
    status: z
      .enum(RELAY_MAIL_STATUSES, `must be one of ${RELAY_MAIL_STATUSES.join(', ')}`)
      .meta(flagged('--status <status>', 'only with this status'))
      .optional(),
    limit: count(10_000).default(100).meta(flagged('--limit <number>', 'maximum number of mails')),
  }),
  result: { mails: list<AdminRelayMail>(), notices },
  print: ({ mails }) =>
    renderTable(
      mails,
      {
        ID: 'id',
        RELAY: 'relayId',
        STATUS: 'status',
        DUE: 'dueAt',
        ENDED: 'endedAt',
        ATTEMPTS: (row) =>
          row.unconfirmedAttempts === 0 ? row.attempts : `${row.attempts} (${row.unconfirmedAttempts} unconfirmed)`,
        CODE: 'smtpCode',
        TO: 'to',
        ROUTE: (row) => (row.routeNote === null ? row.route : `${row.route}; ${row.routeNote}`),
        LEAD: 'lead',
        REASON: 'reason',
      },
      'No mails are recorded.',
    ),
});

export const resendMail = declare({
  name: 'relays/resend',
  description: 'send a failed or skipped mail again',
  example: '7',
  permission: 'write',
  input: z.strictObject({
    mailId: id.meta(flagged('<mail>', 'the mail, as relays log shows it')),
    again: z.boolean().default(false).meta(flagged('--again', 'also a mail that was sent: the rep gets a second one')),
  }),
  result: { mail: one<AdminRelayMail | null>(), notices },
  print: (_result, { mailId }) => `Mail ${mailId} is sent again. The result: svc-server relays log`,
});

export const bindRelay = declare({
  name: 'relays/bind',
  description: 'relay the replies of a source, which has one relay',
  details: 'Binding another relay replaces it.',
  example: '2 --source 1',
  permission: 'write',
  input: z.strictObject({
    relayId: oneOf('relay'),
    sourceId: id.meta(flagged('--source <id>', 'the source, of the same connection')),
  }),
  result: { replyRelay: one<AdminReplyRelay>(), notices },
  print: ({ replyRelay }, { sourceId }) =>
    `Replies of source ${sourceId} are relayed to ${replyRelay.ccEmail} (relay ${replyRelay.id}).`,
});

export const unbindRelay = declare({
  name: 'relays/unbind',
  description: 'stop relaying replies of a source',
  example: '2 --source 1',
  permission: 'write',
  input: z.strictObject({
    relayId: oneOf('relay'),
    sourceId: id.meta(flagged('--source <id>', 'the source')),
  }),
  result: { replyRelay: one<AdminReplyRelay>() },
  print: ({ replyRelay }, { sourceId }) => `Relay ${replyRelay.id} gets no more replies of source ${sourceId}.`,
});

export const removeRelay = declareRemoval('relay', 'remove a relay and its bindings');

export const listRelays = declare({
  name: 'relays/list',
  description: 'list relays and what they are bound to',
  permission: 'read',
  input: listFilter,
  result: { replyRelays: list<AdminReplyRelay>() },
  print: ({ replyRelays }) =>
    renderTable(
      replyRelays,
      {
        ID: 'id',
        CONNECTION: 'connectionId',
        CC: 'ccEmail',
        ROUTES: (row) => row.routes?.map(routeName) ?? [],
        DELAY: (row) => `${row.delayMinutes} min`,
        CATEGORIES: (row) =>
          row.categoryAllowlist.length === 0 ? 'all' : row.categoryAllowlist.map((each) => each.name),
        SOURCES: 'sourceIds',
        DESCRIPTION: 'description',
      },
      'There are no relays yet: add one with svc-server relays add.',
    ),
});

export const relays = noun('relays', "reply relays, which copy a sales rep on a prospect's reply", [
  addRelay,
  updateRelay,
  listRelayLog,
  resendMail,
  bindRelay,
  unbindRelay,
  removeRelay,
  listRelays,
]);

function collectCategory(given: string, earlier: unknown): unknown[] {
  const [, category, label] = /^([^=]+)=(.+)$/.exec(given) ?? [];
  if (category === undefined || label === undefined) throw new Error('It must be ID=NAME, such as 7=Interested.');
  return collect({ id: category, name: label }, earlier);
}
