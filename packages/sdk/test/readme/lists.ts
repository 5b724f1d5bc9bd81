import type { Client } from '@svc/sdk';

declare const client: Client;

// The README's example.
// Of any span: cut into the API's 31 days, and one stream.
const list = client.syncs.list({ from: '2025-01-01' });
// Each once, newest first.
for await (const sync of list) console.log(sync.id);
// A page may be empty, and the list go on all the same.
for await (const page of list.pages()) console.log(page.data.length);
// One request of 20 rows.
const newest = await list.toArray({ limit: 20 });
// Its end.
export { newest };
