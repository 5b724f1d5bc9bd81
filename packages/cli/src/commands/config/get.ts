import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../command/base-command.ts';
import { listFlags, listFormat } from '../../command/flags.ts';
import { readProfiles } from '../../config/profiles.ts';
import { parseFields } from '../../format/fields.ts';
import { printJson } from '../../format/json.ts';
import { printRows } from '../../format/rows.ts';
import { writeStdout } from '../../terminal/stdout.ts';
import { notesOnSetting } from '../../features/config/override-notes.ts';
import {
  parseSettingName,
  SETTING_FIELDS,
  SETTING_NAMES,
  settingRow,
  SETTING_COLUMNS,
} from '../../features/config/settings.ts';

export default class ConfigGet extends BaseCommand {
  static override summary = 'Show all defaults of this command line, or one';
  static override description = 'Flags, environment variables and profiles override them.';
  static override environment = ['SVC_CONFIG_DIR'] as const;
  static override examples = [
    { description: 'All defaults, and where each comes from', command: '<%= config.bin %> config get' },
    { description: 'One value, for a script', command: '<%= config.bin %> config get base-url' },
  ];
  static override args = { name: Args.string({ description: 'Name of a default', options: [...SETTING_NAMES] }) };
  static override flags = listFlags;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConfigGet);
    const allFields = SETTING_FIELDS;
    const fields = parseFields(flags.fields, allFields);
    const { active } = readProfiles(this.config.configDir);
    const settings = this.settings();
    const rowOf = (name: string) => settingRow(parseSettingName(name), settings, active);
    const format = listFormat(flags);
    if (args.name === undefined || format === 'csv' || format === 'ndjson') {
      const rows = args.name === undefined ? SETTING_NAMES.map(rowOf) : [rowOf(args.name)];
      await printRows(rows, { format, fields, allFields, columns: SETTING_COLUMNS, whenEmpty: '' });
      if (format !== 'table' && format !== 'tsv') return;
      const notes = SETTING_NAMES.flatMap((name) => notesOnSetting(name, this.config.configDir));
      for (const text of notes) this.notice(text);
      return;
    }
    const row = rowOf(args.name);
    if (format === 'json') return printJson(row, fields);
    await writeStdout(`${row.value ?? ''}\n`);
  }
}
