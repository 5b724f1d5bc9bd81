import type { Client } from '@svc/sdk';

declare const client: Client;

// Example of the README:
// A range of any length: it is split into the API's 31 days and read as one list.
const list = client.syncs.list({ from: '2025-01-01' });
// Each row once, newest first.
for await (const sync of list) console.log(sync.id);
// A page may be empty in the middle of a list.
for await (const page of list.pages()) console.log(page.data.length);
// One request of 20 rows.
const newest = await list.toArray({ limit: 20 });
// End of the example.
export { newest };
