import * as z from 'zod';
import { fetchFailingSources } from '../explain/failing-sources.ts';
import { defineTool, READS, type ToolCall } from './tool.ts';

export const statusTool = defineTool({
  name: 'svc_status',
  title: 'What works now',
  description:
    'State of each CRM connection, what blocks it and how to fix it, the sources whose syncs fail now, and what the API key may do. Start here.',
  input: z.strictObject({}),
  hints: READS,
  async run(_args, { client, options }) {
    const [status, me, service, failingSources] = await Promise.all([
      client.account.status(options),
      client.me.get(options),
      client.discovery.ready(options),
      fetchFailingSources(client, options),
    ]);
    const count = status.connections.filter(({ ready }) => !ready).length;
    const failing = failingSources.length === 0 ? '' : ` Sources whose syncs fail: ${failingSources.length}.`;
    return {
      source: 'status',
      summary: `${status.ready ? 'Ready' : 'Not ready'}: ${count} of ${status.connections.length} connections cannot write.${failing}`,
      record: { ...status, failingSources, service, apiKey: me.apiKey, account: me.account },
    };
  },
});

export const doctorTool = defineTool({
  name: 'svc_doctor',
  title: 'Check the way to the service',
  description: 'Checks address, network, certificates, clock, API key and scopes, and says how to fix what fails.',
  input: z.strictObject({}),
  hints: READS,
  async run(_args, call) {
    const checks = await (call.doctor?.() ?? checkService(call));
    const failed = checks.filter((check) => 'status' in check && check.status === 'fail').length;
    return { source: 'checks', summary: `${failed} of ${checks.length} checks failed.`, record: { checks } };
  },
});

/** The checks that need nothing but the API. */
async function checkService({ client, options }: ToolCall): Promise<readonly object[]> {
  const ready = await client.discovery.ready(options);
  const { apiKey } = await client.me.get(options);
  return [
    { name: 'service', status: ready.status === 'ok' ? 'pass' : 'fail', detail: ready.status },
    { name: 'key', status: 'pass', detail: `scopes: ${apiKey.scopes.join(', ')}` },
  ];
}
