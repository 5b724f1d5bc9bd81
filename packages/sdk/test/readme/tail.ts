import type { Client } from '@svc/sdk';

declare const client: Client;
declare const signal: AbortSignal;
declare function alert(text: string): Promise<void>;

// Example of the README:
for await (const sync of client.syncs.tail({ status: 'error' }, { signal })) {
  await alert(`sync ${sync.id} of ${sync.toEmail} failed`);
}
