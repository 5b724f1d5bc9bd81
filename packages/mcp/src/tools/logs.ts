import { DELIVERY_STATUSES, EVENT_TYPES, SYNC_STATUSES, WEBHOOK_DELIVERY_STATUSES } from '@svc/contract/vocabulary';
import type { List } from '@svc/sdk';
import * as z from 'zod';
import { ROWS_MAX } from '../answers/answer.ts';
import { ToolError } from '../answers/errors.ts';
import { type OpenAt, search } from './search.ts';
import { defineTool, idSchema, READS, sinceSchema, type ToolCall, untilSchema } from './tool.ts';

const paging = {
  cursor: z.string().max(4000).optional().describe('nextCursor of the answer before'),
  limit: z.int().min(1).max(ROWS_MAX).optional().describe('Default 50'),
};

const SYNCS = 'svc_search_syncs';

export const searchSyncsTool = defineTool({
  name: SYNCS,
  title: 'Search syncs',
  description:
    'Searches syncs, newest first. A sync is one attempt to write an event of a sequencer to a CRM. By email address: svc_person.',
  input: z.strictObject({
    since: sinceSchema.optional(),
    until: untilSchema.optional(),
    status: z.enum(SYNC_STATUSES).optional(),
    sourceId: idSchema.optional(),
    connectionId: idSchema.optional(),
    ...paging,
  }),
  hints: READS,
  run: (args, { client, now, options }) =>
    search({
      ...{ tool: SYNCS, args, nowMs: now(), rowsName: 'syncs', hasRange: true },
      open: ({ status, sourceId, connectionId }, { range, pageSize, resume }) =>
        client.syncs.list({ ...range, status, sourceId, connectionId, pageSize, resume }, options),
    }),
});

const LOG = 'svc_search_log';

const logInput = z.strictObject({
  log: z.enum(['requests', 'deliveries', 'events', 'webhook_deliveries']),
  since: sinceSchema.optional(),
  until: untilSchema.optional(),
  sourceId: idSchema.optional().describe('requests'),
  destinationId: idSchema.optional().describe('deliveries'),
  status: z
    .enum([...DELIVERY_STATUSES, ...WEBHOOK_DELIVERY_STATUSES])
    .optional()
    .describe('deliveries: success, error; webhook_deliveries: the others'),
  webhookId: z.string().max(64).optional().describe('webhook_deliveries, required'),
  eventType: z.enum(EVENT_TYPES).optional().describe('events'),
  ...paging,
});
type LogArgs = z.infer<typeof logInput>;

/** The filters of each log. */
const FILTERS: Readonly<Record<LogArgs['log'], readonly (keyof LogArgs)[]>> = {
  requests: ['since', 'until', 'sourceId'],
  deliveries: ['since', 'until', 'destinationId', 'status'],
  events: ['eventType'],
  webhook_deliveries: ['webhookId', 'status'],
};
const OF_ALL: readonly string[] = ['log', 'cursor', 'limit'];

export const searchLogTool = defineTool({
  name: LOG,
  title: 'Search other logs',
  description:
    'Searches, newest first: requests (posts of sequencers), deliveries (events forwarded to destinations), events (changes in the health of the pipeline), or the deliveries of one webhook.',
  input: logInput,
  hints: READS,
  async run(args, call) {
    const surplus = Object.keys(args).find(
      (name) => !OF_ALL.includes(name) && !FILTERS[args.log].some((filter) => filter === name),
    );
    if (surplus !== undefined) {
      throw new ToolError(`${args.log} have no filter ${surplus}, only ${FILTERS[args.log].join(', ')}.`);
    }
    return search({
      ...{ tool: LOG, args, nowMs: call.now(), rowsName: args.log.replace('_', ' ') },
      hasRange: FILTERS[args.log].includes('since'),
      open: (first, at) => openLog(first, at, call),
    });
  },
});

function openLog(
  { log, sourceId, destinationId, status, webhookId, eventType }: LogArgs,
  { range, pageSize, resume }: OpenAt,
  { client, options }: ToolCall,
): List<object> {
  switch (log) {
    case 'requests':
      return client.requests.list({ ...range, sourceId, pageSize, resume }, options);
    case 'deliveries':
      return client.deliveries.list(
        { ...range, destinationId, status: oneOf(DELIVERY_STATUSES, status), pageSize, resume },
        options,
      );
    case 'events':
      return client.events.list({ types: eventType && [eventType], pageSize, resume }, options);
    case 'webhook_deliveries':
      if (webhookId === undefined) throw new ToolError('Name the webhook: webhookId. svc_list shows the ids.');
      return client.webhooks.listDeliveries(
        webhookId,
        { status: oneOf(WEBHOOK_DELIVERY_STATUSES, status), pageSize, resume },
        options,
      );
  }
}

/** @throws ToolError for a status of the other log */
function oneOf<Status extends string>(statuses: readonly Status[], given: string | undefined): Status | undefined {
  const status = statuses.find((each) => each === given);
  if (given !== undefined && status === undefined) {
    throw new ToolError(`This log has no status ${given}, only ${statuses.join(', ')}.`);
  }
  return status;
}
