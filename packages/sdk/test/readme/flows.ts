import type { Client } from '@svc/sdk';

declare const client: Client;

// The README's example.
const { outcome, blocklist } = await client.blocklists.resyncAndWait(7, { timeoutMs: 600_000 });
// synced | failed (blocklist.lastError) | paused | timeout | in-progress: to leave FETCHING and SYNCING alone is no success

const { queued, skipped, refused } = await client.syncs.retryAll({ from: '2026-03-01', dryRun: true });
// of each event the newest failure, unless it was written since, on the CRMs that can
// Its end.
export { blocklist, outcome, queued, refused, skipped };
