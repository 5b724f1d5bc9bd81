import type { JournalEntry } from './http/journal.ts';
import { startHubspotSimulator } from './hubspot/simulator.ts';
import { startPipedriveSimulator } from './pipedrive/simulator.ts';
import { startSalesforceSimulator } from './salesforce/simulator.ts';

/** The simulated CRMs as programs of their own: `svc-server simulate`. */
export type SimulatedCrm = 'hubspot' | 'salesforce' | 'pipedrive';

export interface ProgramOptions {
  /** 0: any free port. */
  port: number;
  /** Accepted access tokens. */
  tokens: readonly string[] | 'any';
  /** Id of the account that tokens and consents are for. */
  organizationId: string;
  /** Emails of the account's users, who can own records. */
  owners: readonly string[];
  /** Whether calls are limited as the CRM limits them, instead of not at all. */
  isLimited: boolean;
}

export interface SimulatorProgram {
  /** For example `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The last 20,000 requests, oldest first. */
  requests(): readonly JournalEntry[];
  close(): Promise<void>;
}

/** An id of the form that each CRM has, for a program without one. */
export const DEFAULT_ORGANIZATIONS: Readonly<Record<SimulatedCrm, string>> = {
  hubspot: '1000001',
  salesforce: '00D000000000001EAA',
  pipedrive: '7000001',
};

/** Starts the simulator of a CRM. Rejects with Node's error when the port is in use. */
export function startSimulatorProgram(crm: SimulatedCrm, options: ProgramOptions): Promise<SimulatorProgram> {
  return STARTS[crm](options);
}

const STARTS: Readonly<Record<SimulatedCrm, (options: ProgramOptions) => Promise<SimulatorProgram>>> = {
  async hubspot({ port, tokens, organizationId, owners, isLimited }) {
    const hubId = Number(organizationId);
    const oauth = { account: { organizationId, userId: '1001' } };
    const simulator = await startHubspotSimulator({ port, tokens, describeToken: () => ({ hubId }), oauth, owners });
    if (isLimited) simulator.setRateLimit({ max: 190, intervalMs: 10_000, searchesPerSecond: 5, daily: 250_000 });
    return simulator;
  },
  // An org always has a limit.
  salesforce: ({ port, tokens, organizationId, owners }) =>
    startSalesforceSimulator({ port, tokens, organizationId, users: owners.map((email) => ({ email })) }),
  async pipedrive({ port, tokens, organizationId, owners, isLimited }) {
    const simulator = await startPipedriveSimulator({
      port,
      tokens,
      company: { id: Number(organizationId) },
      oauth: { account: { organizationId, userId: '7101' } },
      // Without owners, the simulator's own user owns the token.
      ...(owners.length === 0 ? {} : { users: owners }),
    });
    if (isLimited) simulator.setRateLimit({ burst: 80, dailyTokens: 30_000 });
    return simulator;
  },
};
