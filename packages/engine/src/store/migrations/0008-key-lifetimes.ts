/** Adds when an API key expires, and when it was last used. */
export const migration0008 = {
  version: 8,
  name: 'key-lifetimes',
  sql: `
-- null: valid until it is revoked or rotated
alter table api_keys add column expires_at timestamptz(3);
-- null: not used yet. Written now and then, for many requests at once.
alter table api_keys add column last_used_at timestamptz(3);
`,
} as const;
