import * as z from 'zod';
import type { NextCall } from '../answers/answer.ts';
import { ToolError } from '../answers/errors.ts';
import { explainSync } from '../explain/explain-sync.ts';
import type { NextAction } from '../explain/explanation.ts';
import { findNewest } from './search.ts';
import { defineTool, idSchema, READS, resolveRange, type ToolCall } from './tool.ts';

const VERDICTS = {
  written: 'The event is in the CRM.',
  warning: 'The event is in the CRM, but the CRM refused a part of it.',
  failed: 'The event is not in the CRM.',
} as const;

export const explainTool = defineTool({
  name: 'svc_explain_sync',
  title: 'Why a sync failed',
  description:
    'Explains what happened to the event of a sync: the request, all attempts with the answers of the CRM, the deliveries, the state of the connection, and what to do. Takes the id, or the email address for its newest failed sync of 30 days. Costs about 8 of the 120 API calls a minute.',
  input: z.strictObject({ id: idSchema.optional(), email: z.string().min(1).max(254).optional() }),
  hints: READS,
  async run({ id, email }, call) {
    const explanation = await explainSync(call.client, id ?? (await findFailure(email, call)));
    const next = explanation.nextSteps.map(({ action }) => action && toCall(action, call.plans !== undefined));
    const nextSteps = explanation.nextSteps.map(({ text }) => text);
    const { sync, attempts } = explanation;
    return {
      source: 'explanation',
      summary: `Sync ${sync.id}: ${VERDICTS[explanation.outcome]} Attempts: ${attempts.length}.`,
      record: { ...explanation, nextSteps },
      next: next.filter((each) => each !== null),
    };
  },
});

async function findFailure(email: string | undefined, { client, now, options }: ToolCall): Promise<number> {
  if (email === undefined) throw new ToolError('Pass the id of a sync, or an email address.');
  const range = resolveRange({}, now(), '30d');
  const { rows, isIncomplete } = await findNewest(
    (pageSize) => client.syncs.list({ ...range, status: 'error', pageSize }, options),
    ({ toEmail }) => toEmail.toLowerCase() === email.toLowerCase(),
    1,
  );
  const [newest] = rows;
  if (newest !== undefined) return newest.id;
  throw new ToolError(
    `No failed sync of this address ${isIncomplete ? 'is among the newest 5,000 failures' : `since ${range.from}`}. svc_person shows what there is of it.`,
  );
}

/** Null for what no tool of this server does. */
function toCall(action: NextAction, canWrite: boolean): NextCall | null {
  switch (action.kind) {
    case 'list-syncs':
      return { text: 'see what came since:', tool: 'svc_search_syncs', args: { ...action.filter, since: '1h' } };
    case 'preview-retries':
      return {
        text: 'see which syncs of the source failed:',
        tool: 'svc_search_syncs',
        args: { sourceId: action.sourceId, status: 'error', since: action.since },
      };
    case 'show-status':
    case 'watch-status':
      return { text: 'see the state of the connection:', tool: 'svc_status', args: {} };
    case 'retry-sync':
      return canWrite ? { text: 'to retry it, call', tool: 'svc_retry_sync', args: { ids: [action.id] } } : null;
    case 'replay-delivery': {
      const args = { kind: 'destination', id: action.destinationId, deliveryId: action.id };
      return canWrite ? { text: 'to send it again, call', tool: 'svc_replay_delivery', args } : null;
    }
    case 'open-connection':
      return null;
  }
}
