/** Adds whether bounces and opt-outs of a source set the CRM's own marks on the contact. */
export const migration0014 = {
  version: 14,
  name: 'state-fields',
  sql: `
alter table sources add column write_state_fields boolean not null default false;
`,
} as const;
