/** Deliveries outlive a removed destination: each row has the URL that it was sent to. */
export const migration0007 = {
  version: 7,
  name: 'removals',
  sql: `
alter table deliveries drop constraint deliveries_destination_id_fkey;
`,
} as const;
