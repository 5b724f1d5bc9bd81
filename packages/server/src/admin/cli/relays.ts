import { RELAY_MAIL_STATUSES, type RelayMailStatus } from '@svc/domain/relays/relay-attempts';
import { LIMITS } from '@svc/contract/limits';
import { type Command, InvalidArgumentError } from 'commander';
import { type AdminOptions, collect, parseCount, parseId } from './options.ts';
import { defineRemove, defineVerb, type ListOptions, withListFilter } from './define.ts';
import { runAdmin } from './run.ts';
import { renderTable } from './table.ts';

interface Category {
  id: string;
  name: string;
}

interface AddOptions extends AdminOptions {
  connection: number;
  ccEmail: string;
  delayMinutes: number;
  description: string;
  bodyTemplate: string[];
  category: Category[];
}

export function defineRelays(program: Command): void {
  const relays = program.command('relays').description("reply relays, which copy a sales rep on a prospect's reply");
  defineAdd(relays);
  defineUpdate(relays);
  defineLog(relays);

  defineVerb(relays, 'resend', 'send a failed or skipped mail again', 'relays resend 7')
    .argument('<mail>', 'the mail, as relays log shows it', parseId)
    .option('--again', 'also a mail that was sent: the rep gets a second one', false)
    .action(async (mailId: number, options: AdminOptions & { again: boolean }) => {
      await runAdmin('relays/resend', { mailId, again: options.again }, options, () => ({
        text: `Mail ${mailId} is sent again. The result: svc-server relays log`,
      }));
    });

  defineVerb(relays, 'bind', 'relay the replies of a source, which has one relay', 'relays bind 2 --source 1')
    .argument('<id>', 'the relay, as relays list shows it', parseId)
    .requiredOption('--source <id>', 'the source, of the same connection', parseId)
    .action(async (id: number, options: AdminOptions & { source: number }) => {
      await runAdmin('relays/bind', { relayId: id, sourceId: options.source }, options, ({ replyRelay }) => ({
        text: `Replies of source ${options.source} are relayed to ${replyRelay.ccEmail} (relay ${replyRelay.id}).`,
      }));
    });

  defineVerb(relays, 'unbind', 'stop relaying replies of a source', 'relays unbind 2 --source 1')
    .argument('<id>', 'the relay, as relays list shows it', parseId)
    .requiredOption('--source <id>', 'the source', parseId)
    .action(async (id: number, options: AdminOptions & { source: number }) => {
      await runAdmin('relays/unbind', { relayId: id, sourceId: options.source }, options, ({ replyRelay }) => ({
        text: `Relay ${replyRelay.id} gets no more replies of source ${options.source}.`,
      }));
    });

  defineRemove(relays, 'relays/remove', { what: 'relay', description: 'remove a relay and its bindings' });

  withListFilter(defineVerb(relays, 'list', 'list relays and what they are bound to', 'relays list'), parseId).action(
    async (options: ListOptions) => {
      const filter = { accountId: options.account, connectionId: options.connection };
      await runAdmin('relays/list', filter, options, (result) => ({
        text: renderTable(
          result.replyRelays,
          {
            ID: (row) => row.id,
            CONNECTION: (row) => row.connectionId,
            CC: (row) => row.ccEmail,
            DELAY: (row) => `${row.delayMinutes} min`,
            CATEGORIES: (row) =>
              row.categoryAllowlist.length === 0 ? 'all' : row.categoryAllowlist.map(({ name }) => name),
            SOURCES: (row) => row.sourceIds,
            DESCRIPTION: (row) => row.description,
          },
          'There are no relays yet: add one with svc-server relays add.',
        ),
      }));
    },
  );
}

function defineLog(relays: Command): void {
  defineVerb(relays, 'log', 'list the mails of relays, newest first', 'relays log --relay 2 --status failed')
    .option('--relay <id>', 'only of this relay', parseId)
    .option('--status <status>', `only with this status: ${RELAY_MAIL_STATUSES.join(', ')}`, parseStatus)
    .option('--limit <number>', 'maximum number of mails', parseCount, 100)
    .action(async (options: AdminOptions & { relay?: number; status?: RelayMailStatus; limit: number }) => {
      const { relay: relayId, status, limit } = options;
      await runAdmin('relays/log', { relayId, status, limit }, options, (result) => ({
        text: renderTable(
          result.mails,
          {
            ID: (row) => row.id,
            RELAY: (row) => row.relayId,
            STATUS: (row) => row.status,
            DUE: (row) => row.dueAt,
            ENDED: (row) => row.endedAt,
            ATTEMPTS: (row) =>
              row.unconfirmedAttempts === 0 ? row.attempts : `${row.attempts} (${row.unconfirmedAttempts} unconfirmed)`,
            CODE: (row) => row.smtpCode,
            TO: (row) => row.to,
            LEAD: (row) => row.lead,
            REASON: (row) => row.reason,
          },
          'No mails are recorded.',
        ),
      }));
    });
}

function parseStatus(text: string): RelayMailStatus {
  const status = RELAY_MAIL_STATUSES.find((known) => known === text);
  if (status === undefined) throw new InvalidArgumentError(`It must be one of ${RELAY_MAIL_STATUSES.join(', ')}.`);
  return status;
}

function defineAdd(relays: Command): void {
  defineVerb(
    relays,
    'add',
    'add a relay; it does nothing until it is bound to a source',
    'relays add --connection 1 --cc-email rep@example.com --delay-minutes 15 --category 7=Interested',
  )
    .requiredOption('--connection <id>', 'the connection whose replies it may receive', parseId)
    .requiredOption('--cc-email <email>', 'the sales rep who gets the copy')
    .option('--delay-minutes <number>', 'delay after a reply', parseCount, 0)
    .option('--description <text>', 'description', '')
    .option(
      '--body-template <text>',
      'a text to send, with fields such as {{leadName}}; repeatable: replies take turns',
      collect,
      [],
    )
    .option(
      '--category <id=name>',
      `only leads with this category; repeatable, up to ${LIMITS.relayCategoryAllowlistMax} times`,
      collectCategory,
      [],
    )
    .action(async (options: AddOptions) => {
      const { connection: connectionId, ccEmail, delayMinutes, description } = options;
      const input = {
        ...{ connectionId, ccEmail, delayMinutes, description },
        bodyTemplates: options.bodyTemplate,
        categoryAllowlist: options.category,
      };
      await runAdmin('relays/add', input, options, ({ replyRelay }) => ({
        text: `Relay ${replyRelay.id} to ${replyRelay.ccEmail} is added to connection ${replyRelay.connectionId}. Bind it to a source: svc-server relays bind ${replyRelay.id} --source ID`,
      }));
    });
}

interface UpdateOptions extends AdminOptions {
  ccEmail?: string;
  delayMinutes?: number;
  description?: string;
  bodyTemplate?: string[] | false;
  category?: Category[] | false;
}

function defineUpdate(relays: Command): void {
  defineVerb(
    relays,
    'update',
    'change the given settings of a relay; given lists replace existing ones',
    'relays update 2 --delay-minutes 30 --no-category',
  )
    .argument('<id>', 'the relay, as relays list shows it', parseId)
    .option('--cc-email <email>', 'the sales rep who gets the copy')
    .option('--delay-minutes <number>', 'delay after a reply', parseCount)
    .option('--description <text>', 'description')
    .option('--body-template <text>', 'a text to send, with fields such as {{leadName}}; repeatable', collect)
    .option('--no-body-template', 'remove all texts')
    .option('--category <id=name>', 'only leads with this category; repeatable', collectCategory)
    .option('--no-category', 'relay all replies again')
    .action(async (id: number, options: UpdateOptions) => {
      const { ccEmail, delayMinutes, description, bodyTemplate, category } = options;
      const input = {
        ...{ id, ccEmail, delayMinutes, description },
        bodyTemplates: bodyTemplate === false ? [] : bodyTemplate,
        categoryAllowlist: category === false ? [] : category,
      };
      await runAdmin('relays/update', input, options, ({ replyRelay }) => ({
        text: `Relay ${replyRelay.id} to ${replyRelay.ccEmail} is changed.`,
      }));
    });
}

function collectCategory(text: string, earlier: readonly Category[] | false = []): Category[] {
  const [, id, name] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (id === undefined || name === undefined)
    throw new InvalidArgumentError('It must be ID=NAME, such as 7=Interested.');
  return [...(earlier || []), { id, name }];
}
