import type { Client, ResumePoint, Sync } from '@svc/sdk';

declare const client: Client;
declare const from: string;
declare const saved: ResumePoint | null;
declare function store(sync: Sync): Promise<void>;
declare function save(resume: ResumePoint): Promise<void>;

// Example of the README:
import { SvcError } from '@svc/sdk';

try {
  for await (const sync of client.syncs.list({ from, resume: saved })) await store(sync);
} catch (error) {
  if (error instanceof SvcError && error.resume) await save(error.resume);
  throw error;
}
