import { migration0001 } from './0001-initial.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Every migration, in the order in which they are applied. Landed ones are never edited. */
export const migrations: readonly Migration[] = [migration0001];
