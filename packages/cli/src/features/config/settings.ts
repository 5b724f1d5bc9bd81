import { usageError } from '../../errors/cli-error.ts';
import { parseSeconds } from '../../command/duration.ts';
import { notOneOf } from '../../errors/nearest.ts';
import { DEFAULT_HEADER_PREFIX, parseHeaderPrefix } from '../../config/header-prefix.ts';
import {
  DEFAULT_MAX_RETRIES,
  DEFAULT_TIMEOUT_SECONDS,
  MAX_RETRIES,
  MAX_TIMEOUT_SECONDS,
  parseCount,
  parseListFormat,
  type Settings,
} from '../../config/settings.ts';
import { DEFAULT_BASE_URL, parseAddress } from '../../config/credentials.ts';
import { DEFAULT_RANGE, parseDefaultRange } from '../../command/log-range.ts';
import { formatValue } from '../../format/record.ts';
import type { Column } from '../../terminal/table.ts';

/** A default in the output. */
export interface SettingRow {
  readonly name: string;
  readonly value: string | number | boolean | null;
  /** `config`: set with `svc config set`; `default`: built in. */
  readonly source: 'config' | 'default';
}

export const SETTING_FIELDS = ['name', 'value', 'source'] as const;

/** Names of the defaults. `profile` is stored with the profiles; `svc profiles use` also sets it. */
export const SETTING_NAMES = [
  'profile',
  'base-url',
  'timeout',
  'max-retries',
  'format',
  'range',
  'local-time',
  'header-prefix',
] as const;
export type SettingName = (typeof SETTING_NAMES)[number];

const BUILT_IN_DEFAULTS: Readonly<Record<Exclude<SettingName, 'profile'>, string | number | boolean>> = {
  'base-url': DEFAULT_BASE_URL,
  timeout: DEFAULT_TIMEOUT_SECONDS,
  'max-retries': DEFAULT_MAX_RETRIES,
  format: 'table',
  range: DEFAULT_RANGE,
  'local-time': false,
  'header-prefix': DEFAULT_HEADER_PREFIX,
};

export function settingRow(name: SettingName, settings: Settings, activeProfile: string | null): SettingRow {
  const chosen = name === 'profile' ? activeProfile : (settings[name] ?? null);
  if (chosen !== null) return { name, value: chosen, source: 'config' };
  return { name, value: name === 'profile' ? null : BUILT_IN_DEFAULTS[name], source: 'default' };
}

/** @throws CliError (exit 2) for an invalid value */
export function parseSetting(name: Exclude<SettingName, 'profile'>, value: string): string | number | boolean {
  switch (name) {
    case 'base-url':
      return parseAddress(value, 'base-url');
    case 'timeout':
      return parseCount('timeout', String(parseSeconds(value) ?? value), 1, MAX_TIMEOUT_SECONDS);
    case 'max-retries':
      return parseCount('max-retries', value, 0, MAX_RETRIES);
    case 'format':
      return parseListFormat(value);
    case 'range':
      return parseDefaultRange(value, 'range');
    case 'local-time':
      if (value === 'true' || value === 'false') return value === 'true';
      throw usageError(`local-time must be true or false, not "${value}"`);
    case 'header-prefix':
      return parseHeaderPrefix(value, 'header-prefix');
  }
}

/** @throws CliError (exit 2) for an unknown name */
export function parseSettingName(text: string): SettingName {
  const name = SETTING_NAMES.find((known) => known === text);
  if (name !== undefined) return name;
  throw notOneOf('NAME', text, SETTING_NAMES);
}

export const SETTING_COLUMNS: readonly Column<SettingRow>[] = [
  { header: 'NAME', cell: ({ name }) => ({ text: name }) },
  { header: 'VALUE', cell: ({ value }) => ({ text: formatValue(value) }), canShrink: true },
  { header: 'FROM', cell: ({ source }) => ({ text: source, tone: source === 'config' ? 'good' : 'muted' }) },
];
