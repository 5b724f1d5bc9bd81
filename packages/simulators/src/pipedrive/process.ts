import { parseArgs } from 'node:util';
import { startPipedriveSimulator } from './simulator.ts';

/**
 * Runs the simulator as a process, so that its state outlives the server that writes to it: `node process.ts [--port N]
 * [--token T]... [--company-id N] [--user EMAIL]... [--burst N] [--daily-tokens N]`. Prints one ready line with its URL;
 * `GET /__sim/state` returns `{persons, organizations, activities, notes, personFields, organizationFields, counts}`.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    token: { type: 'string', multiple: true },
    'company-id': { type: 'string' },
    user: { type: 'string', multiple: true },
    burst: { type: 'string' },
    'daily-tokens': { type: 'string' },
  },
});

const companyId = values['company-id'];
const simulator = await startPipedriveSimulator({
  port: Number(values.port),
  tokens: values.token ?? 'any',
  ...(companyId === undefined
    ? {}
    : { company: { id: Number(companyId) }, oauth: { account: { organizationId: companyId, userId: '7101' } } }),
  ...(values.user === undefined ? {} : { users: values.user }),
});
const dailyTokens = values['daily-tokens'];
if (values.burst !== undefined || dailyTokens !== undefined) {
  simulator.setRateLimit({
    burst: Number(values.burst ?? 80),
    ...(dailyTokens === undefined ? {} : { dailyTokens: Number(dailyTokens) }),
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void simulator.close().then(() => process.exit(0));
  });
}
console.log(`pipedrive simulator ready at ${simulator.url}`);
