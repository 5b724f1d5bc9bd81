import { createTables } from '../schema/index.ts';
import type { StartMigration } from './migration.ts';

/** Adds alerts: channels, incidents and messages. */
export const migration0047: StartMigration = {
  version: 47,
  name: 'alerts',
  sql: [createTables('alert_channels', 'alert_incidents', 'alert_messages')],
};
