import { BaseCommand } from '../command/base-command.ts';
import { fieldsFlag } from '../command/flags.ts';
import { ME_RESPONSE_FIELDS } from '@svc/contract/fields';
import { notesOnDefaultProfile } from '../features/config/override-notes.ts';
import { parseFields } from '../format/fields.ts';
import { printRecord } from '../format/record.ts';
import { whoamiLines } from '../features/config/whoami.ts';

/** `--fields` accepts any link, because the service may add links. */
const FIELDS = [...ME_RESPONSE_FIELDS.filter((field) => !field.startsWith('links.')), 'links.*'];

export default class Whoami extends BaseCommand {
  static override summary = 'Show the account, what the key may do and where the key came from';
  static override examples = [
    { description: 'Check which key is in use', command: '<%= config.bin %> whoami' },
    {
      description: 'See the scopes of a stored profile',
      command: '<%= config.bin %> whoami --profile staging --fields apiKey.scopes',
    },
  ];
  static override flags = { fields: fieldsFlag };

  async run(): Promise<void> {
    const { flags } = await this.parse(Whoami);
    const fields = parseFields(flags.fields, FIELDS);
    const me = await this.connect(flags).me.get();
    await printRecord(me, { isJson: flags.json, fields, lines: () => whoamiLines(me, this.credentials(flags)) });
    if (flags.json || fields !== null || flags.profile !== undefined) return;
    for (const text of notesOnDefaultProfile(this.config.configDir)) this.notice(text);
  }
}
