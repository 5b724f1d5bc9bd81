import * as z from 'zod';
import { decodeCursor, type Position } from '../answers/cursor.ts';
import { defineTool, idSchema, READS, type ToolCall } from './tool.ts';

const RESOURCES = ['connections', 'sources', 'destinations', 'reply_relays', 'blocklists', 'webhooks'] as const;

const NAME = 'svc_list';

export const listTool = defineTool({
  name: NAME,
  title: 'List what is set up',
  description:
    'Lists connections to CRMs, sources (inbound URLs of sequencers), destinations (URLs that events are forwarded to), reply relays, block lists, or webhooks.',
  input: z.strictObject({
    resource: z.enum(RESOURCES),
    connectionId: idSchema.optional(),
    cursor: z.string().max(2000).optional(),
  }),
  hints: READS,
  async run({ cursor, ...args }, call) {
    const start: Position = { tool: NAME, args, range: null, resume: null, skip: 0 };
    const at = cursor === undefined ? start : decodeCursor(cursor, NAME, args);
    const { connectionId } = at.args as typeof args;
    const all = await readAll(args.resource, call);
    const rows = all.filter((row) => connectionId === undefined || connectionIdOf(row) === connectionId);
    return {
      source: args.resource,
      rows: rows.slice(at.skip),
      at,
      after: null,
      summary: (shown) => `${shown} of ${rows.length} ${args.resource.replace('_', ' ')}.`,
    };
  },
});

async function readAll(
  resource: (typeof RESOURCES)[number],
  { client, options }: ToolCall,
): Promise<readonly object[]> {
  switch (resource) {
    case 'connections':
      return (await client.connections.list(options)).connections;
    case 'sources':
      return (await client.sources.list(options)).sources;
    case 'destinations':
      return (await client.destinations.list(options)).destinations;
    case 'reply_relays':
      return (await client.replyRelays.list(options)).replyRelays;
    case 'blocklists':
      return (await client.blocklists.list({}, options)).blocklists;
    case 'webhooks':
      return (await client.webhooks.list(options)).webhooks;
  }
}

/** Rows without a connection, such as webhooks of the account, never match. */
function connectionIdOf(row: object): unknown {
  if ('connectionId' in row) return row.connectionId;
  return 'crm' in row && 'id' in row ? row.id : null;
}
