import { parseArgs } from 'node:util';
import { startHubspotSimulator } from './simulator.ts';

/**
 * Runs the simulator as a process, so that its state outlives the server that writes to it: `node process.ts [--port N]
 * [--token T]... [--hub-id N] [--owner EMAIL]...`. Prints one ready line with its URL; `GET /__sim/state` returns `{contacts,
 * engagements, companies, tasks, lists, counts}`.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    token: { type: 'string', multiple: true },
    'hub-id': { type: 'string' },
    owner: { type: 'string', multiple: true },
  },
});

const simulator = await startHubspotSimulator({
  port: Number(values.port),
  tokens: values.token ?? 'any',
  describeToken: () => (values['hub-id'] === undefined ? {} : { hubId: Number(values['hub-id']) }),
  owners: values.owner ?? [],
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void simulator.close().then(() => process.exit(0));
  });
}
console.log(`hubspot simulator ready at ${simulator.url}`);
