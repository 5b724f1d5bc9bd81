import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../command/base-command.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { readProfiles } from '../../config/profiles.ts';
import { parseSettingName, SETTING_FIELDS, SETTING_NAMES, settingRow } from '../../features/config/settings.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';

export default class ConfigGet extends BaseCommand {
  static override summary = 'Show one default of this command line';
  static override description =
    'Flags, environment variables and profiles override it. svc config list shows all of them.';
  static override environment = ['SVC_CONFIG_DIR'] as const;
  static override examples = [
    { description: 'A value, for a script', command: '<%= config.bin %> config get base-url' },
    { description: 'Where it comes from', command: '<%= config.bin %> config get timeout --jq .source' },
  ];
  static override args = {
    name: Args.string({ description: 'Name of a default', options: [...SETTING_NAMES], required: true }),
  };
  static override flags = { fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConfigGet);
    const fields = parseFields(flags.fields, SETTING_FIELDS);
    const { active } = readProfiles(this.config.configDir);
    const row = settingRow(parseSettingName(args.name), this.settings(), active);
    await printRecord(row, { isJson: flags.json, fields, render: () => `${row.value ?? ''}\n` });
  }
}
