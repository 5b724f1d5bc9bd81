/** Writes the prepared database of new data directories: empty, with all migrations applied. */
import { mkdir, writeFile } from 'node:fs/promises';
import { migrate } from '../src/store/migrations/migrate.ts';
import { PGLITE_TEMPLATE, startPglite, wrapPglite } from '../src/store/database/pglite.ts';

const pglite = await startPglite();
const db = wrapPglite(pglite);
await migrate(db, new Date());
const dump = await pglite.dumpDataDir('gzip');
await mkdir(new URL('.', PGLITE_TEMPLATE), { recursive: true });
await writeFile(PGLITE_TEMPLATE, Buffer.from(await dump.arrayBuffer()));
await db.close();
