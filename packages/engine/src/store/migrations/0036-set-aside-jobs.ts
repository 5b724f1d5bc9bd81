import type { StartMigration } from './migration.ts';

/**
 * Adds where jobs go that threw the same error again and again (`queue/set-aside.ts`), and how often in a row a job did.
 */
export const migration0036: StartMigration = {
  version: 36,
  name: 'set-aside-jobs',
  sql: `
create table set_aside_jobs (
  kind text not null,
  ref text not null,
  fairness_key text not null,
  state jsonb not null,
  created_at timestamptz(3) not null,
  error text not null,
  set_aside_at timestamptz(3) not null,
  primary key (kind, ref)
);

-- How often in a row the job threw \`last_error\`.
alter table jobs add column throws integer not null default 0;
`,
};
