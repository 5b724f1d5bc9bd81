import { open } from 'node:fs/promises';

/** Without this, a power cut could undo what was renamed in the folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
