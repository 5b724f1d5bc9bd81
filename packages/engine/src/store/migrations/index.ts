import { migration0022 } from './0022-from-first-server.ts';
import { migration0030 } from './0030-logs-by-month.ts';
import { migration0036 } from './0036-from-schema-22.ts';
import { migration0037 } from './0037-validated-mails.ts';
import { migration0039 } from './0039-write-policies.ts';
import { migration0040 } from './0040-held-events.ts';
import { migration0041 } from './0041-last-values.ts';
import { migration0042 } from './0042-users.ts';
import { migration0043 } from './0043-unwritten-requests.ts';
import { migration0044 } from './0044-sequencer-keys.ts';
import { migration0045 } from './0045-source-wirings.ts';
import { migration0046 } from './0046-person-journey.ts';
import { migration0047 } from './0047-alerts.ts';
import { migration0048 } from './0048-relay-routes.ts';
import { migration0049 } from './0049-config-names.ts';
import { migration0050 } from './0050-suppressions.ts';
import { migration0051 } from './0051-webhook-names.ts';
import { migration0052 } from './0052-blocklist-removals.ts';
import { migration0053 } from './0053-backfills.ts';
import { migration0056 } from './0056-room-for-claims.ts';
import { migration0057 } from './0057-pages-of-accounts.ts';
import { installFunctions } from './install-functions.ts';
import type { Migration } from './migration.ts';

/**
 * The newest migration of the release before this one, beside whose processes start migrations run. Moved at each release
 * (CONTRIBUTING, Releasing).
 */
export const SCHEMA_OF_RELEASE_BEFORE = 22;

/** The schemas before `FOLDED_SCHEMA` that databases are upgraded from: `fixtures/stored-databases` has one of each. */
export const UPGRADED_SCHEMAS: readonly number[] = [5, 22];

/** The migrations up to this one were folded: databases of this schema or a newer one are upgraded, and only some of the schemas before it. */
export const FOLDED_SCHEMA = 36;

/** All migrations, in the order in which those of a phase run. Their numbers grow, but for `installFunctions`, which is always the last. */
export const migrations: readonly Migration[] = [
  migration0022,
  migration0030,
  migration0036,
  migration0037,
  migration0039,
  migration0040,
  migration0041,
  migration0042,
  migration0043,
  migration0044,
  migration0045,
  migration0046,
  migration0047,
  migration0048,
  migration0049,
  migration0050,
  migration0051,
  migration0052,
  migration0053,
  migration0056,
  migration0057,
  installFunctions,
];
