/** Writes the prepared database of new data directories: empty, with all migrations applied. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '../src/store/migrations/migrate.ts';
import { PGLITE_TEMPLATE, startPglite, wrapPglite } from '../src/store/database/pglite.ts';
import { packTemplate } from './pack-template.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'svc-template-'));
try {
  const db = wrapPglite(await startPglite({ dataDir: folder }));
  await migrate(db, new Date());
  await db.close();
  await mkdir(new URL('.', PGLITE_TEMPLATE), { recursive: true });
  await packTemplate(folder, PGLITE_TEMPLATE);
} finally {
  await rm(folder, { recursive: true, force: true });
}
