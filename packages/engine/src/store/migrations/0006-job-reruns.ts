/**
 * `run_again_at`: when a running job was requested again. It is enqueued again when it ends, so that two attempts never
 * overlap.
 */
export const migration0006 = {
  version: 6,
  name: 'job-reruns',
  sql: `
-- null: not asked for again
alter table jobs add column run_again_at timestamptz(3);
`,
} as const;
