import { BaseCommand } from '../../command/base-command.ts';
import { listFlags } from '../../command/flags.ts';
import { listOutput } from '../../command/print-list.ts';
import { readProfiles } from '../../config/profiles.ts';
import { notesOnSetting } from '../../features/config/override-notes.ts';
import { SETTING_COLUMNS, SETTING_FIELDS, SETTING_NAMES, settingRow } from '../../features/config/settings.ts';
import { printRows } from '../../format/rows.ts';

export default class ConfigList extends BaseCommand {
  static override summary = 'List all defaults of this command line, and where each comes from';
  static override description = 'Flags, environment variables and profiles override them.';
  static override environment = ['SVC_CONFIG_DIR'] as const;
  static override examples = [
    { description: 'All defaults', command: '<%= config.bin %> config list' },
    {
      description: 'Those that differ from the built-in ones',
      command: '<%= config.bin %> config list --jq \'.[] | select(.source == "config")\'',
    },
  ];
  static override flags = listFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(ConfigList);
    const output = listOutput(flags, { allFields: SETTING_FIELDS, columns: SETTING_COLUMNS, whenEmpty: '' });
    const { active } = readProfiles(this.config.configDir);
    const settings = this.settings();
    await printRows(
      SETTING_NAMES.map((name) => settingRow(name, settings, active)),
      output,
    );
    if (output.format !== 'table' && output.format !== 'tsv') return;
    const notes = SETTING_NAMES.flatMap((name) => notesOnSetting(name, this.config.configDir));
    for (const text of notes) this.notice(text);
  }
}
