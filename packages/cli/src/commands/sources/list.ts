import { BaseCommand } from '../../command/base-command.ts';
import { listFlags, listFormat } from '../../command/flags.ts';
import { SOURCE_FIELDS } from '@svc/contract/fields';
import { parseFields } from '../../format/fields.ts';
import { printRows } from '../../format/rows.ts';
import { SOURCE_COLUMNS } from '../../features/resources/sources.ts';

export default class SourcesList extends BaseCommand {
  static override summary = 'List the sources (URLs that sequencers post events to)';
  static override examples = [
    { description: 'All sources', command: '<%= config.bin %> sources list' },
    {
      description: 'Their URLs as CSV',
      command: '<%= config.bin %> sources list --format csv --fields id,platform,url',
    },
  ];
  static override flags = listFlags;

  async run(): Promise<void> {
    const { flags } = await this.parse(SourcesList);
    const known = SOURCE_FIELDS;
    const fields = flags.fields === undefined ? null : parseFields(flags.fields, known);
    const { sources } = await this.connect(flags).sources.list();
    const whenEmpty = 'No sources are accessible with this key.';
    await printRows(sources, { format: listFormat(flags), fields, known, columns: SOURCE_COLUMNS, whenEmpty });
  }
}
