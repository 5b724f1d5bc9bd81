import type { Client } from '@svc/sdk';

declare const client: Client;

// Example of the README:
const { outcome, blocklist } = await client.blocklists.resyncAndWait(7, { timeoutMs: 600_000 });
// synced | failed (blocklist.lastError) | paused | timeout | in-progress

const { queued, skipped, refused } = await client.syncs.retryAll({ from: '2026-03-01', dryRun: true });
// The newest failure of each event, unless the event has been written since or its CRM does not support retries.
// End of the example.
export { blocklist, outcome, queued, refused, skipped };
