import * as z from 'zod';
import { ToolError } from '../answers/errors.ts';
import { defineWriteTool } from './write-tool.ts';

const input = {
  kind: z.enum(['destination', 'webhook']),
  id: z.union([z.int().positive(), z.string().max(64)]).describe('Of the destination (a number) or webhook'),
  deliveryId: z.union([z.int().positive(), z.string().max(64)]),
};
type Target = z.infer<z.ZodObject<typeof input>>;

export const replayTool = defineWriteTool({
  name: 'svc_replay_delivery',
  title: 'Send a delivery again',
  description:
    "Sends an event to the customer's URL again: a delivery of a destination or of a webhook. Always returns a plan first.",
  input,
  isDestructive: true,
  isIdempotent: false,
  async prepare(args, { client, options }) {
    const { kind, id, deliveryId } = args;
    const receiver =
      kind === 'destination'
        ? await client.destinations.get(wholeNumber(id), options)
        : await client.webhooks.get(String(id), options);
    if (kind === 'destination') wholeNumber(deliveryId);
    return {
      what: `send one event to a ${kind} again`,
      shown: { deliveryId, [kind]: receiver },
      target: args satisfies Target,
      needsPlan: true,
    };
  },
  async perform({ kind, id, deliveryId }, { client, options }) {
    const record =
      kind === 'destination'
        ? await client.destinations.replayDelivery(wholeNumber(id), wholeNumber(deliveryId), options)
        : await client.webhooks.replayDelivery(String(id), String(deliveryId), options);
    return { source: 'delivery', summary: 'The event is queued. A new delivery shows the result.', record };
  },
});

function wholeNumber(id: number | string): number {
  const value = Number(id);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new ToolError('The ids of destinations and their deliveries are whole numbers.');
  }
  return value;
}
