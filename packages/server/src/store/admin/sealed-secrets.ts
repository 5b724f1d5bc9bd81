import type { Db } from '../db.ts';

/** The columns that hold something encrypted, by what it is. */
const SEALED = {
  'CRM token': 'select crm_token as sealed from connections where crm_token is not null',
  'webhook signing secret': 'select secret as sealed from webhooks',
  'sequencer token': 'select sequencer_token as sealed from blocklists where sequencer_token is not null',
} as const;

export interface SealedSample {
  kind: keyof typeof SEALED;
  sealed: string;
}

/** One stored secret of every kind and every encryption key that any of them was sealed with. */
export async function sampleSealedSecrets(db: Db): Promise<SealedSample[]> {
  const kinds = Object.entries(SEALED).map(([kind, select]) => `select '${kind}' as kind, sealed from (${select}) s`);
  // The key's id stands in front of the first dot.
  const { rows } = await db.query<SealedSample>(
    `select distinct on (kind, split_part(sealed, '.', 1)) kind, sealed from (${kinds.join(' union all ')}) all_kinds
      order by kind, split_part(sealed, '.', 1), sealed`,
  );
  return rows;
}
