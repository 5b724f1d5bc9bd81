import type { SettingRow } from '../services/settings-table.ts';
import { formatValue } from './record.ts';
import type { Column } from './table.ts';

export const SETTING_COLUMNS: readonly Column<SettingRow>[] = [
  { header: 'NAME', cell: ({ name }) => ({ text: name }) },
  { header: 'VALUE', cell: ({ value }) => ({ text: formatValue(value) }), canShrink: true },
  { header: 'FROM', cell: ({ source }) => ({ text: source, tone: source === 'config' ? 'good' : 'muted' }) },
];
