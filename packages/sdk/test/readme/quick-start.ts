// Example of the README:
import { createClient } from '@svc/sdk';

const from = new Date(Date.now() - 7 * 24 * 3_600_000);
const client = createClient({ baseUrl: 'https://sync.example.com', apiKey: process.env.SVC_API_KEY });

const status = await client.account.status();
for await (const sync of client.syncs.list({ from, to: new Date(), status: 'error' })) {
  console.log(sync.id, sync.toEmail, sync.error);
}
// End of the example.
export { status };
