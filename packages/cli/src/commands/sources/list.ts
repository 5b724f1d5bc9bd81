import { BaseCommand } from '../../command/base-command.ts';
import { listOutput } from '../../command/print-list.ts';
import { listFlags } from '../../command/flags.ts';
import { SOURCE_FIELDS } from '@svc/contract/fields';
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
    const output = listOutput(flags, {
      allFields: SOURCE_FIELDS,
      columns: SOURCE_COLUMNS,
      whenEmpty: 'No sources are accessible with this key.',
    });
    const { sources } = await this.connect(flags).sources.list();
    await printRows(sources, output);
  }
}
