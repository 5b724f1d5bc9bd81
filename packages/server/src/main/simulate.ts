/** `svc-server simulate`: a simulated CRM as a process of its own, for rehearsals (docs/rehearsal.md). */
import { DEFAULT_ORGANIZATIONS, type ProgramOptions, type SimulatedCrm, startSimulatorProgram } from '@svc/simulators';
import { toListenError } from '../http/listen.ts';

export interface SimulateOptions {
  port: number;
  organizationId?: string;
  owner?: string[];
  token?: string[];
  limits: boolean;
}

/** Runs the simulator until SIGTERM or SIGINT. The first line on stdout has its address. */
export async function simulate(crm: SimulatedCrm, options: SimulateOptions): Promise<void> {
  const { port, organizationId = DEFAULT_ORGANIZATIONS[crm], owner = [], token = 'any', limits } = options;
  const programOptions: ProgramOptions = { port, tokens: token, organizationId, owners: owner, isLimited: limits };
  const simulator = await startSimulatorProgram(crm, programOptions).catch((error: NodeJS.ErrnoException) => {
    throw toListenError(error, { port, host: '127.0.0.1', portSetting: '--port', hostSetting: '--port' });
  });
  const stop = () => void simulator.close().then(() => process.exit(0));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  process.stdout.write(`${describe(crm, simulator.url, organizationId).join('\n')}\n`);
}

function describe(crm: SimulatedCrm, url: string, organizationId: string): string[] {
  return [
    `The simulator of ${crm} is ready on ${url}`,
    `  server   ${SETTINGS[crm]}=${url} svc-server start`,
    `  account  --organization-id ${organizationId}`,
    `  state    ${url}/__sim/state shows what it was sent; it ends with this process`,
    `  faults   curl -d '{"count": 1, "fault": 503}' ${url}/__sim/faults`,
  ];
}

/** Variables that direct a server to the simulator. */
const SETTINGS: Readonly<Record<SimulatedCrm, string>> = {
  hubspot: 'SVC_HUBSPOT_URL',
  salesforce: 'SVC_SALESFORCE_LOGIN_URL',
  pipedrive: 'SVC_PIPEDRIVE_URL',
};
