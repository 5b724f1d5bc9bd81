import { createTables } from '../schema/index.ts';
import type { StartMigration } from './migration.ts';

/** Adds the users of the dashboard, their sessions and their invitations. */
export const migration0042: StartMigration = {
  version: 42,
  name: 'users',
  sql: [createTables('users', 'user_sessions', 'user_invitations')],
};
