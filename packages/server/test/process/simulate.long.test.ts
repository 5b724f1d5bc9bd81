/** `svc-server simulate` as a process: its lines, signals and refusals. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { getJson, runServerCommand, startSimulator } from '../support/processes.ts';

const TIMEOUT_MS = 60_000;

test.each([
  ['hubspot', 'SVC_HUBSPOT_URL', '1000001'],
  ['salesforce', 'SVC_SALESFORCE_LOGIN_URL', '00D000000000001EAA'],
  ['pipedrive', 'SVC_PIPEDRIVE_URL', '7000001'],
])(
  '%s says where it is and how a server finds it, and ends on a signal',
  { timeout: TIMEOUT_MS },
  async (crm, setting, id) => {
    const simulator = await startSimulator(crm);
    const { url } = simulator;
    expect(simulator.stdout()).toBe(
      `The simulator of ${crm} is ready on ${url}
  server   ${setting}=${url} svc-server start
  account  --organization-id ${id}
  state    ${url}/__sim/state shows what it was sent; it ends with this process
  faults   curl -d '{"count": 1, "fault": 503}' ${url}/__sim/faults
`,
    );
    expect(await getJson(`${url}/__sim/state`)).toMatchObject({ counts: { requests: 0 } });
    expect([await simulator.stop(), simulator.stderr()]).toEqual([0, '']);
  },
);

test('a port that is in use and an unknown CRM are refused', { timeout: TIMEOUT_MS }, async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = String(typeof address === 'object' ? address?.port : 0);
  const taken = await runServerCommand(['simulate', 'hubspot', '--port', port]);
  const unknown = await runServerCommand(['simulate', 'zoho']);
  other.close();
  expect([taken.code, taken.stderr]).toEqual([
    1,
    `svc-server: Port ${port} on 127.0.0.1 is in use: stop what listens there, or choose another with --port (0 picks a free one).\n`,
  ]);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('Allowed choices are hubspot, salesforce, pipedrive.'),
  ]);
});
