/** A connector that writes nothing and keeps what it was asked to write, for tests of what the pipeline asks. */
import type { CrmConnector, CrmOutcome, CrmSetup, CrmWrite, RegisteredCrm } from '@svc/crm';

export interface RecordingCrm {
  /** For `startTestServer`: takes the place of the CRM's entry. */
  readonly registry: readonly RegisteredCrm[];
  /** What was asked, in order. */
  readonly writes: CrmWrite[];
  /** Outcomes of the next calls, one per call. After them every event is written. */
  readonly failures: CrmOutcome[];
}

export function createRecordingCrm(crm: string, setup?: CrmSetup): RecordingCrm {
  const writes: CrmWrite[] = [];
  const failures: CrmOutcome[] = [];
  const connector: CrmConnector = {
    batchSize: 100,
    async writeEvents({ events }) {
      writes.push(...events);
      const failure = failures.shift();
      return events.map(() => failure ?? { status: 'success', contactId: '1', engagementId: '2' });
    },
    async *readList() {
      yield { status: 'page', values: [], cursor: null };
    },
    checkAccess: async () => ({ status: 'accepted', organizationId: '1', missing: null }),
  };
  const entry: RegisteredCrm = {
    ...{ crm, name: 'Recorder', apiUrl: 'https://crm.example' },
    limits: { window: null, search: null, daily: { limit: 100_000, unit: 'calls' } },
    create: () => connector,
    ...(setup === undefined ? {} : { createSetup: () => setup }),
  };
  return { registry: [entry], writes, failures };
}
