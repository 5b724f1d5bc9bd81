/** Detects databases with public keys: those of a world are in its file, those of our own worlds in the repository. */
import type { Branding } from '@svc/domain/pages/branding';
import { ConfigError } from '../config/config.ts';
import { hashApiKey } from '../secrets/secret-box.ts';
import { listAcceptedKeys } from '../store/api-keys.ts';
import type { Db } from '../store/database/db.ts';
import { findWorldName } from './load-world.sql.ts';

/** The API keys of the worlds in `fixtures`, without prefix. A test compares them with the files. */
export const PUBLISHED_KEYS = [
  'demo_write',
  'demo_read',
  'demo_connection',
  'demo_connection_read',
  'demo_connection_salesforce',
  'demo_connection_no_api',
  'demo_empty',
  'demo_no_api',
  'demo_no_webhooks',
  'demo_other',
  'demo_revoked',
  'demo_rotated',
  'minimal',
];

/** Returns the ids of accepted keys that are public. */
export async function findPublishedKeys(db: Db, { keyPrefix }: Branding, now: Date): Promise<number[]> {
  const hashes = PUBLISHED_KEYS.map((name) => hashApiKey(keyPrefix + name));
  return listAcceptedKeys(db, hashes, now);
}

/**
 * Checks that the database contains a world, for a start that serves it unchanged.
 *
 * @throws ConfigError when there is none
 */
export async function assertWorld(db: Db): Promise<void> {
  if ((await findWorldName(db)) !== null) return;
  throw new ConfigError(
    'start --world without a file serves a loaded world, and the database contains none. Load one with start --world FILE or svc-server world load FILE, name the folder of one with --data-dir, or serve your own data with start.',
  );
}

/**
 * Checks that a world is not served by accident.
 *
 * @throws ConfigError when the database contains a world, or accepts public keys
 */
export async function assertNoWorld(db: Db, branding: Branding, now: Date): Promise<void> {
  const world = await findWorldName(db);
  if (world !== null) {
    throw new ConfigError(
      `The database contains the world "${world}", whose API keys are in its file. To run it, reload it with start --demo or start --world FILE, or serve it unchanged with start --world, which calls only this machine. For your own data use another folder (--data-dir) or another database (DATABASE_URL).`,
    );
  }
  const keys = await findPublishedKeys(db, branding, now);
  if (keys.length > 0) {
    throw new ConfigError(
      `The database accepts public API keys of a demo: ${keys.join(', ')} of svc-server keys list. Revoke each with svc-server keys revoke ID.`,
    );
  }
}
