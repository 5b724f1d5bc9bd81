/** Events that a write policy holds until their lead answers or gets a category (docs/policy.md). */
import type { ListedLead } from '@svc/engine/store/held-events';
import * as z from 'zod';
import { declare, flagged, list, notices, one } from './declare.ts';
import { count, oneOf, personal, text } from './fields.ts';
import { confirmed, countOf } from './removal.ts';
import { renderTable } from './table.ts';

/** A lead whose events wait, by its address or the URL of its profile. */
export type HeldLeadRow = Omit<ListedLead, 'recipient'> & { lead: string };

const selection = {
  id: oneOf('source'),
  lead: personal.meta(flagged('--lead <address>', 'only of this lead: its address or profile URL')).optional(),
  campaign: text(200)
    .min(1, 'must be the id or name of a campaign')
    .meta(flagged('--campaign <campaign>', 'only of this campaign: its id, or its name where events have no id'))
    .optional(),
};
const all = z.boolean().default(false).meta(flagged('--all', 'of all leads and campaigns'));

export const listHeldEvents = declare({
  name: 'sources/held',
  description: 'list the leads whose events wait, those that have waited longest first',
  details: 'See [write policies](../../docs/policy.md).',
  example: '7',
  permission: 'read',
  input: z.strictObject({
    ...selection,
    limit: count(1_000).default(50).meta(flagged('--limit <number>', 'maximum number of leads')),
  }),
  result: {
    /** The number of events that wait, of all leads that were asked for. */
    events: one<number>(),
    leadCount: one<number>(),
    since: one<Date | null>(),
    leads: list<HeldLeadRow>('lead', 'campaign', 'campaignName', 'events', 'since', 'dropsAt'),
  },
  print: ({ events, leadCount, since, leads }) => ({
    text: [
      ...(since === null
        ? []
        : [`${countOf(events, 'events')} of ${countOf(leadCount, 'leads')} wait, the first since ${since}.`]),
      renderTable(
        leads,
        {
          LEAD: 'lead',
          CAMPAIGN: ({ campaign, campaignName }) => campaignName ?? campaign,
          ID: 'campaign',
          EVENTS: 'events',
          SINCE: 'since',
          'DROPS AT': 'dropsAt',
        },
        'No events wait.',
      ),
    ].join('\n'),
    ...(leads.length < leadCount ? { note: `More: add --limit N, up to 1000, or --lead or --campaign.` } : {}),
  }),
});

export const releaseHeldEvents = declare({
  name: 'sources/release',
  description: 'write the events that wait, and let later events of their leads pass',
  details: 'It needs `--lead`, `--campaign` or `--all`.',
  example: '7 --lead kim@example.org',
  permission: 'write',
  input: z.strictObject({ ...selection, isAll: all }),
  result: { id: one<number>(), events: one<number>(), leads: one<number>(), notices },
  print: ({ events, leads }) =>
    events === 0
      ? 'No such events wait.'
      : `${countOf(events, 'events')} of ${countOf(leads, 'leads')} are written now, in the order in which they were received.`,
});

export const dropHeldEvents = declare({
  name: 'sources/drop-held',
  description: 'never write the events that wait; without --yes only says how many',
  details:
    'It needs `--lead`, `--campaign` or `--all`. Later events of the leads wait as before. Exits with 1 without `--yes`.',
  example: '7 --campaign 204511 --yes',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({ ...selection, isAll: all, isConfirmed: confirmed('confirm the drop') }),
  result: { id: one<number>(), events: one<number>() },
  print: ({ events }) =>
    events === 0 ? 'No such events wait.' : `${countOf(events, 'events')} will not be written to the CRM.`,
});
