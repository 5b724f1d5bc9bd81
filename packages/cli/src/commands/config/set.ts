import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { usageError } from '../../errors/cli-error.ts';
import { readProfiles, useProfile } from '../../config/profiles.ts';
import { writeSetting } from '../../config/settings.ts';
import { printJson } from '../../format/json.ts';
import { notesOnSetting } from '../../features/config/override-notes.ts';
import { parseSetting, parseSettingName, SETTING_NAMES, settingRow } from '../../features/config/settings.ts';

export default class ConfigSet extends BaseCommand {
  static override summary = 'Set a default of this command line, or remove it with --unset';
  static override environment = ['SVC_CONFIG_DIR'] as const;
  static override examples = [
    { description: 'Print lists as JSON lines', command: '<%= config.bin %> config set format ndjson' },
    { description: 'Lists and counts cover 30 days', command: '<%= config.bin %> config set range 30d' },
    { description: 'Allow more time on a slow network', command: '<%= config.bin %> config set timeout 2m' },
    { description: 'Restore the built-in value', command: '<%= config.bin %> config set timeout --unset' },
  ];
  static override exitCodes = {
    2: 'also a profile that does not exist',
  };
  static override args = {
    name: Args.string({ description: 'Name of a default', options: [...SETTING_NAMES], required: true }),
    value: Args.string({ description: 'Its value' }),
  };
  static override flags = { unset: Flags.boolean({ description: 'Restore the built-in value' }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConfigSet);
    const name = parseSettingName(args.name);
    if ((args.value === undefined) !== (flags.unset === true)) throw usageError('Give a value, or --unset');
    const { configDir } = this.config;
    if (name === 'profile') await useProfile(configDir, args.value ?? null);
    else await writeSetting(configDir, name, args.value === undefined ? undefined : parseSetting(name, args.value));
    const row = settingRow(name, this.settings(), readProfiles(configDir).active);
    if (flags.json) return printJson(row);
    this.notice(`${row.name} is ${row.value ?? 'not set'}${row.source === 'default' ? ' (the built-in default)' : ''}`);
    for (const text of notesOnSetting(name, configDir)) this.notice(text);
  }
}
