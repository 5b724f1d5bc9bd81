import { BaseCommand } from '../../command/base-command.ts';
import { listFlags, listFormat } from '../../command/flags.ts';
import { readProfiles } from '../../config/profiles.ts';
import { parseFields } from '../../format/fields.ts';
import { PROFILE_COLUMNS, PROFILE_FIELDS, profileRows } from '../../features/config/profile-rows.ts';
import { printRows } from '../../format/rows.ts';

export default class ProfilesList extends BaseCommand {
  static override summary = 'List the stored profiles; keys are not shown';
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
    const known = PROFILE_FIELDS;
    const fields = flags.fields === undefined ? null : parseFields(flags.fields, known);
    const rows = profileRows(readProfiles(this.config.configDir));
    const whenEmpty = 'No profiles are stored. `svc login` stores one.';
    await printRows(rows, { format: listFormat(flags), fields, known, columns: PROFILE_COLUMNS, whenEmpty });
  }
}
