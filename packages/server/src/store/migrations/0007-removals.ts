/** Deliveries outlive a destination that was removed: each row has the address that it went to. */
export const migration0007 = {
  version: 7,
  name: 'removals',
  sql: `
alter table deliveries drop constraint deliveries_destination_id_fkey;
`,
} as const;
