import type { SettingRow } from './settings.ts';
import { formatValue } from '../../format/record.ts';
import type { Column } from '../../terminal/table.ts';

export const SETTING_COLUMNS: readonly Column<SettingRow>[] = [
  { header: 'NAME', cell: ({ name }) => ({ text: name }) },
  { header: 'VALUE', cell: ({ value }) => ({ text: formatValue(value) }), canShrink: true },
  { header: 'FROM', cell: ({ source }) => ({ text: source, tone: source === 'config' ? 'good' : 'muted' }) },
];
