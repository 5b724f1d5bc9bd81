import type { Client } from '@svc/sdk';
import { printNote } from '../terminal/stderr.ts';

/** Says so during a dry run if the command itself would fail because the key has no write scope. */
export async function noteReadOnlyKey(client: Client, isJson: boolean): Promise<void> {
  const { apiKey } = await client.me.get();
  if (!apiKey.scopes.includes('write'))
    printNote('Without --dry-run this fails: the key lacks the scope write.', isJson);
}
