import { DEFAULT_HEADER_PREFIX } from '../../config/header-prefix.ts';
import type { ProfileStore } from '../../config/profiles.ts';
import type { Column } from '../../terminal/table.ts';

/** A profile without its key. */
export interface ProfileRow {
  readonly name: string;
  readonly isDefault: boolean;
  readonly baseUrl: string;
  readonly headerPrefix: string;
  /** The default range of the profile; null: the range of `svc config` applies. */
  readonly range: string | null;
}

export const PROFILE_FIELDS = ['name', 'isDefault', 'baseUrl', 'headerPrefix', 'range'] as const;

export const PROFILE_COLUMNS: readonly Column<ProfileRow>[] = [
  { header: 'NAME', cell: ({ name }) => ({ text: name }) },
  { header: 'DEFAULT', cell: ({ isDefault }) => ({ text: isDefault ? 'yes' : '', tone: 'good' }) },
  { header: 'BASE URL', cell: ({ baseUrl }) => ({ text: baseUrl }), canShrink: true },
  {
    header: 'HEADERS',
    cell: ({ headerPrefix }) => ({ text: `${headerPrefix}-*`, raw: headerPrefix }),
    dropOrder: 1,
    field: 'headerPrefix',
  },
  { header: 'RANGE', cell: ({ range }) => ({ text: range ?? '' }), dropOrder: 2, field: 'range' },
];

export function profileRows({ active, profiles }: ProfileStore): ProfileRow[] {
  return Object.entries(profiles).map(([name, { baseUrl, headerPrefix = DEFAULT_HEADER_PREFIX, range = null }]) => ({
    name,
    isDefault: name === active,
    baseUrl,
    headerPrefix,
    range,
  }));
}
