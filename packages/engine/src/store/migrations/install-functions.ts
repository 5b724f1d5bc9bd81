import { functionsAndTriggers } from '../schema/index.ts';
import type { StartMigration } from './migration.ts';

/**
 * Installs all functions and triggers of `store/schema`. It runs after all other start migrations, whatever their numbers, so its text may use
 * every table of this release, and no earlier migration depends on the text of a later release.
 *
 * A release that changes a function or trigger gives this migration the next free number; `same-schema.test.ts` fails until it does. A database
 * counts it as done when a migration of this name with its number or a higher one is recorded: so a release that starts beside a newer one never brings
 * its own, older text back. What the release before calls must still work: a function whose arguments or results change is a new one, and the
 * finish migration of the next release drops the old one.
 */
export const installFunctions: StartMigration = { version: 58, name: 'functions', sql: functionsAndTriggers };
