import { parseArgs } from 'node:util';
import { startSalesforceSimulator } from './simulator.ts';

/**
 * Runs the simulator as a process, so that its state outlives the server that writes to it: `node process.ts [--port N]
 * [--token T]... [--organization-id ID] [--user EMAIL]...`. Prints one ready line with its URL; `GET /__sim/state`
 * returns `{contacts, leads, accounts, tasks, counts}`.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    token: { type: 'string', multiple: true },
    'organization-id': { type: 'string' },
    user: { type: 'string', multiple: true },
  },
});

const organizationId = values['organization-id'];
const simulator = await startSalesforceSimulator({
  port: Number(values.port),
  tokens: values.token ?? 'any',
  ...(organizationId === undefined ? {} : { organizationId }),
  users: (values.user ?? []).map((email) => ({ email })),
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void simulator.close().then(() => process.exit(0));
  });
}
console.log(`salesforce simulator ready at ${simulator.url}`);
