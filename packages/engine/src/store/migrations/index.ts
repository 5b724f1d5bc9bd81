import { migration0001 } from './0001-initial.ts';
import { migration0002 } from './0002-blocklist-entries.ts';
import { migration0004 } from './0004-list-indexes.ts';
import { migration0005 } from './0005-refusals.ts';
import { migration0006 } from './0006-job-reruns.ts';
import { migration0007 } from './0007-removals.ts';
import { migration0008 } from './0008-key-lifetimes.ts';
import { migration0009 } from './0009-audit-log.ts';
import { migration0010 } from './0010-crm-outages.ts';
import { migration0011 } from './0011-oauth.ts';
import { migration0012 } from './0012-crm-records.ts';
import { migration0013 } from './0013-crm-quotas.ts';
import { migration0014 } from './0014-state-fields.ts';
import { migration0015 } from './0015-claims.ts';
import { migration0016 } from './0016-smaller-claims.ts';
import { migration0017 } from './0017-blocklist-instances.ts';
import { migration0019 } from './0019-source-mappings.ts';
import { migration0020 } from './0020-receipts.ts';
import { migration0021 } from './0021-source-secrets.ts';
import { migration0022 } from './0022-relay-mails.ts';
import { migration0025 } from './0025-hour-counts.ts';
import { migration0027 } from './0027-key-writes.ts';
import { migration0028 } from './0028-schema-programs.ts';
import { migration0029 } from './0029-first-syncs.ts';
import { migration0030 } from './0030-logs-by-month.ts';
import { migration0031 } from './0031-day-counts.ts';
import { migration0032 } from './0032-job-workers.ts';
import { migration0033 } from './0033-jobs-in-order.ts';
import { migration0034 } from './0034-repeated-events.ts';
import { migration0035 } from './0035-relay-digests.ts';
import { migration0036 } from './0036-set-aside-jobs.ts';
import type { Migration } from './migration.ts';

/**
 * The newest migration of the release before this one, beside whose processes start migrations run. Moved at each release
 * (CONTRIBUTING, Releasing).
 */
export const SCHEMA_OF_RELEASE_BEFORE = 22;

/** All migrations in order. Released ones must not be edited. There is no 0003: the number was never used. */
export const migrations: readonly Migration[] = [
  migration0001,
  migration0002,
  migration0004,
  migration0005,
  migration0006,
  migration0007,
  migration0008,
  migration0009,
  migration0010,
  migration0011,
  migration0012,
  migration0013,
  migration0014,
  migration0015,
  migration0016,
  migration0017,
  migration0019,
  migration0020,
  migration0021,
  migration0022,
  migration0025,
  migration0027,
  migration0028,
  migration0029,
  migration0030,
  migration0031,
  migration0032,
  migration0033,
  migration0034,
  migration0035,
  migration0036,
];
