import type { Db } from './db.ts';

/** Reads the database's own clock, with which that of a process is compared. Nothing is stored or claimed by it. */
export async function readDatabaseClock(db: Db): Promise<Date> {
  const { rows } = await db.query<{ at: Date }>('select clock_timestamp() as at');
  if (!rows[0]) throw new Error('The database returned no time.');
  return rows[0].at;
}
