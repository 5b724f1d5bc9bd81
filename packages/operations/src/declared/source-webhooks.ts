/** Webhooks at sequencers that post to sources. */
import type { SourceWiring } from '@svc/engine/store/source-wirings';
import * as z from 'zod';
import { declare, flagged, list, notices, one } from './declare.ts';
import { id, name, oneOf } from './fields.ts';

export const connectSource = declare({
  name: 'sources/connect',
  description: 'make the sequencer post to a source: register its URL, the events that are read, and its secret',
  details:
    'For the platforms whose API documents it ([webhooks](../../docs/sequencers/webhooks.md)). It looks first and changes only what differs, so it also mends; a server then looks once a day.',
  example: '1 --key 1',
  permission: 'write',
  input: z.strictObject({
    id: oneOf('source'),
    sequencerKeyId: id
      .meta(
        flagged(
          '--key <id>',
          'the key of svc-server sequencer-keys list (default: the last one, or the only one of the account)',
        ),
      )
      .optional(),
    campaignId: name(100)
      .nullable()
      .meta(
        flagged('--campaign <id>', "only this campaign, by the sequencer's id (default: as before, or all campaigns)", {
          none: 'all campaigns of the account',
        }),
      )
      .optional(),
    isConfirmed: z
      .boolean()
      .default(false)
      .meta(flagged('--yes', 'also where the webhook of an account may take precedence over those of its campaigns')),
  }),
  result: {
    wiring: one<SourceWiring>(),
    /** What was done at the sequencer. */
    changes: list<string>(),
    notices,
  },
  print: ({ wiring, changes }) =>
    changes.length === 0
      ? `Source ${wiring.sourceId} is connected: nothing had to be changed.`
      : `Source ${wiring.sourceId} is connected:\n${changes.map((change) => `- ${change}`).join('\n')}`,
});

export const disconnectSource = declare({
  name: 'sources/disconnect',
  description: 'remove the webhooks at the sequencer that post to a source, and look at them no longer',
  example: '1',
  permission: 'write',
  input: z.strictObject({ id: oneOf('source') }),
  result: { id: one<number>(), removed: one<number>() },
  print: ({ id: sourceId, removed }) =>
    `Source ${sourceId} is disconnected: ${removed} webhook${removed === 1 ? '' : 's'} removed at the sequencer.`,
});
