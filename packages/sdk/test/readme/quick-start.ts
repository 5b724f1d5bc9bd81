// Example of the README:
import { createClient } from '@svc/sdk';

const client = createClient({ baseUrl: 'https://sync.example.com', apiKey: process.env.SVC_API_KEY });

const status = await client.account.status();
for await (const sync of client.syncs.list({ from: '2026-01-01', to: '2026-04-01', status: 'error' })) {
  console.log(sync.id, sync.toEmail, sync.error);
}
// End of the example.
export { status };
