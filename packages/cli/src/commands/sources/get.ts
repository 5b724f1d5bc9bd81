import * as Args from '@oclif/core/args';
import { SOURCE_FIELDS } from '@svc/contract/fields';
import { BaseCommand } from '../../command/base-command.ts';
import { findItem } from '../../command/find-item.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { sourceLines } from '../../features/resources/sources.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';

export default class SourcesGet extends BaseCommand {
  static override summary = 'Show one source';
  static override description = 'The API returns sources only as a list, in which this command finds the source.';
  static override examples = [
    { description: 'One source', command: '<%= config.bin %> sources get 1' },
    { description: 'Only its URL', command: '<%= config.bin %> sources get 1 --json --fields url' },
  ];
  static override args = { id: Args.integer({ description: 'Id of the source', required: true, min: 1 }) };
  static override flags = { fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SourcesGet);
    const fields = parseFields(flags.fields, SOURCE_FIELDS);
    const { sources } = await this.connect(flags).sources.list();
    const item = findItem(sources, args.id, { resource: 'Source', listCommand: 'svc sources list' });
    await printRecord(item, { isJson: flags.json, fields, lines: () => sourceLines(item) });
  }
}
