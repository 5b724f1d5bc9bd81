/** Adds what is known of the limits of a connection's CRM, and how much of them is used; see `crm/quota.ts`. */
export const migration0013 = {
  version: 13,
  name: 'crm-quotas',
  sql: `
create table crm_quotas (
  connection_id bigint primary key references connections (id),
  -- Grows with every change: a change is stored only over the version that it was made from.
  version bigint not null,
  -- CrmQuotaState of the domain.
  state jsonb not null,
  -- While the share of the day is used up: when the next call finds out whether the CRM counts anew. Else null.
  look_at timestamptz(3)
);
`,
} as const;
