import { parseArgs } from 'node:util';
import { startHubspotSimulator } from './simulator.ts';

/**
 * Runs the simulator as a process, so that its state outlives the server that writes to it: `node process.ts [--port N]
 * [--token T]... [--hub-id N] [--owner EMAIL]... [--rate-limit N] [--daily-limit N]`. `--rate-limit` is the number of requests in ten
 * seconds. Prints one ready line with its URL; `GET /__sim/state` returns `{contacts,
 * engagements, companies, tasks, lists, counts}`.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    token: { type: 'string', multiple: true },
    'hub-id': { type: 'string' },
    owner: { type: 'string', multiple: true },
    'rate-limit': { type: 'string' },
    'daily-limit': { type: 'string' },
  },
});

const hubId = values['hub-id'];
const simulator = await startHubspotSimulator({
  port: Number(values.port),
  tokens: values.token ?? 'any',
  ...(hubId === undefined
    ? {}
    : {
        describeToken: () => ({ hubId: Number(hubId) }),
        oauth: { account: { organizationId: hubId, userId: '1001' } },
      }),
  owners: values.owner ?? [],
});
const { 'rate-limit': max, 'daily-limit': daily } = values;
if (max !== undefined || daily !== undefined) {
  simulator.setRateLimit({
    max: Number(max ?? 190),
    intervalMs: 10_000,
    searchesPerSecond: 5,
    ...(daily === undefined ? {} : { daily: Number(daily) }),
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void simulator.close().then(() => process.exit(0));
  });
}
console.log(`hubspot simulator ready at ${simulator.url}`);
