/** The address of a customer's own instance of a sequencer; null for the one of the installation. */
export const migration0017 = {
  version: 17,
  name: 'blocklist-instances',
  sql: `
alter table blocklists add column instance_url text;
`,
} as const;
