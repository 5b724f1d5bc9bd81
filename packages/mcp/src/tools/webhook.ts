import { SUBSCRIBABLE_EVENT_TYPES } from '@svc/contract/vocabulary';
import * as z from 'zod';
import { ToolError } from '../answers/errors.ts';
import { defineWriteTool } from './write-tool.ts';

const ACTIONS = { update: 'change', delete: 'delete', test: 'send a test event to' } as const;

export const webhookTool = defineWriteTool({
  name: 'svc_webhook',
  title: 'Change, delete or test a webhook',
  description:
    'Changes, deletes or tests a webhook. Its URL cannot be changed here, and none can be made: data must not leave to an address that an agent chose. Always returns a plan first.',
  input: {
    action: z.enum(['update', 'delete', 'test']),
    id: z.string().min(1).max(64),
    patch: z
      .strictObject({
        description: z.exactOptional(z.string().max(500)),
        enabledEvents: z.exactOptional(z.array(z.enum(SUBSCRIBABLE_EVENT_TYPES))),
        isActive: z.exactOptional(z.boolean()),
      })
      .optional()
      .describe('For update'),
  },
  isDestructive: true,
  isIdempotent: false,
  async prepare(args, { client, options }) {
    const { action, id, patch } = args;
    if ((action === 'update') !== (patch !== undefined))
      throw new ToolError('patch belongs to update, and only to it.');
    const webhook = await client.webhooks.get(id, options);
    return { what: `${ACTIONS[action]} one webhook`, shown: { webhook, patch }, target: args, needsPlan: true };
  },
  async perform({ action, id, patch = {} }, { client, options }) {
    if (action === 'delete') {
      await client.webhooks.delete(id, options);
      return { source: 'webhook', summary: 'The webhook is deleted.', record: { id } };
    }
    const record = await (action === 'test'
      ? client.webhooks.test(id, options)
      : client.webhooks.update(id, patch, options));
    const summary = action === 'test' ? 'A test event is queued.' : 'The webhook is changed.';
    return { source: 'webhook', summary, record };
  },
});
