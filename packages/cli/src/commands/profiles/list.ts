import { BaseCommand } from '../../command/base-command.ts';
import { listOutput } from '../../command/print-list.ts';
import { listFlags } from '../../command/flags.ts';
import { notesOnDefaultProfile } from '../../features/config/override-notes.ts';
import { readProfiles } from '../../config/profiles.ts';
import { PROFILE_COLUMNS, PROFILE_FIELDS, profileRows } from '../../features/config/profile-rows.ts';
import { printRows } from '../../format/rows.ts';

export default class ProfilesList extends BaseCommand {
  static override summary = 'List the stored profiles; keys are not shown';
  static override environment = ['SVC_CONFIG_DIR'] as const;
  static override examples = [
    { description: 'All profiles', command: '<%= config.bin %> profiles list' },
    {
      description: 'The name of the default profile',
      command: "<%= config.bin %> profiles list --jq '.[] | select(.isDefault).name'",
    },
  ];
  static override flags = listFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(ProfilesList);
    const output = listOutput(flags, {
      allFields: PROFILE_FIELDS,
      columns: PROFILE_COLUMNS,
      whenEmpty: 'No profiles are stored. `svc login` stores one.',
    });
    await printRows(profileRows(readProfiles(this.config.configDir)), output);
    if (output.format !== 'table' && output.format !== 'tsv') return;
    for (const text of notesOnDefaultProfile(this.config.configDir)) this.notice(text);
  }
}
