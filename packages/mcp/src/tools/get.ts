import * as z from 'zod';
import { ToolError } from '../answers/errors.ts';
import { defineTool, READS } from './tool.ts';

export const getTool = defineTool({
  name: 'svc_get',
  title: 'Show one',
  description: 'Shows one sync, destination, webhook or platform event (with its webhook deliveries).',
  input: z.strictObject({
    kind: z.enum(['sync', 'destination', 'webhook', 'event']),
    id: z.union([z.int().positive(), z.string().max(64)]).describe('A number for syncs and destinations'),
  }),
  hints: READS,
  async run({ kind, id }, { client, options }) {
    const number = (): number => {
      const value = Number(id);
      if (!Number.isSafeInteger(value) || value < 1) throw new ToolError(`The id of a ${kind} is a whole number.`);
      return value;
    };
    const record = await {
      sync: () => client.syncs.get(number(), options),
      destination: () => client.destinations.get(number(), options),
      webhook: () => client.webhooks.get(String(id), options),
      event: () => client.events.get(String(id), options),
    }[kind]();
    return { source: kind, summary: `The ${kind}:`, record };
  },
});
