import * as z from 'zod';
import { ToolError } from '../answers/errors.ts';
import { defineTool, idSchema, READS, resolveRange, sinceSchema, untilSchema } from './tool.ts';

export const metricsTool = defineTool({
  name: 'svc_metrics',
  title: 'Count what happened',
  description:
    'Counts what happened in a range of at most 31 days: all of the account, or only syncs, requests, or the deliveries of a destination.',
  input: z.strictObject({
    of: z.enum(['account', 'syncs', 'requests', 'deliveries']),
    since: sinceSchema.optional(),
    until: untilSchema.optional(),
    sourceId: idSchema.optional().describe('Not for deliveries'),
    connectionId: idSchema.optional().describe('account and syncs'),
    destinationId: idSchema.optional().describe('deliveries, required'),
  }),
  hints: READS,
  async run({ of, sourceId, connectionId, destinationId, ...times }, { client, now, options }) {
    const range = resolveRange(times, now());
    const refuse = (filters: Readonly<Record<string, unknown>>): void => {
      const name = Object.keys(filters).find((each) => filters[each] !== undefined);
      if (name !== undefined) throw new ToolError(`The counts of ${of} have no filter ${name}.`);
    };
    const count = async (): Promise<object> => {
      switch (of) {
        case 'account':
          refuse({ destinationId });
          return client.account.metrics({ ...range, sourceId, connectionId }, options);
        case 'syncs':
          refuse({ destinationId });
          return client.syncs.metrics({ ...range, sourceId, connectionId }, options);
        case 'requests':
          refuse({ destinationId, connectionId });
          return client.requests.metrics({ ...range, sourceId }, options);
        case 'deliveries':
          refuse({ sourceId, connectionId });
          if (destinationId === undefined) throw new ToolError('Name the destination: destinationId.');
          return client.destinations.deliveryMetrics(destinationId, range, options);
      }
    };
    return { source: 'metrics', summary: `Counts of ${of} from ${range.from} to ${range.to}.`, record: await count() };
  },
});
