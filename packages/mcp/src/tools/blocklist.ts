import * as z from 'zod';
import { ToolError } from '../answers/errors.ts';
import { idSchema } from './tool.ts';
import { defineWriteTool } from './write-tool.ts';

export const blocklistTool = defineWriteTool({
  name: 'svc_blocklist',
  title: 'Resync or pause a block list',
  description:
    'Fetches a block list from the CRM and pushes it to the sequencer again (resync, which also ends a pause), or pauses it. Always returns a plan first.',
  input: { id: idSchema, action: z.enum(['resync', 'pause']) },
  isDestructive: true,
  isIdempotent: true,
  async prepare({ id, action }, { client, options }) {
    const { blocklists } = await client.blocklists.list({}, options);
    const blocklist = blocklists.find((each) => each.id === id);
    if (blocklist === undefined) throw new ToolError(`There is no block list ${id}. svc_list shows them.`);
    return { what: `${action} block list ${id}`, shown: blocklist, target: { id, action }, needsPlan: true };
  },
  async perform({ id, action }, { client, options }) {
    const record = await client.blocklists[action](id, options);
    const summary = action === 'resync' ? `Block list ${id} is fetched anew.` : `Block list ${id} is paused.`;
    return { source: 'block list', summary, record };
  },
});
