import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { exportFlags } from '../../features/export/flags.ts';
import { ROW_FORMATS } from '../../format/row-encoder.ts';
import { ONLY_RESULTS, runCheck } from '../../features/outreach/check-contacts.ts';

export default class OutreachCheck extends BaseCommand {
  static override summary = 'Check for every contact of a CSV file whether it may be contacted';
  static override description =
    `Adds columns to the file. outreach.result is blocked (doNotContact.value is true: a bounce or an unsubscription is known), contactable (it is false), invalid (outreach.error says why the email address or profile URL is invalid), no_identity (the row has neither) or error (the service failed for this contact). The fields of the answer follow: those of --fields, by default doNotContact.value and .reasons, found, summary.everContacted, .lastTouchAt, .lastEventType and .lastPlatform, platforms.platform, outcomes.replied and .lastCategoryName. In JSON all of this is one object, outreach. Times are the times at which the service processed the event.

The file must have a header and be in UTF-8, with cells separated by commas, semicolons, tabs or |. Its columns are written unchanged, with the same delimiter. Email addresses and profile URLs (up to five; all of a row belong to one contact) are found in columns with common names, such as Email or LinkedIn URL. A column can be chosen by name or number.

A contact that repeats is looked up once (if it is among the last 20,000 contacts). The limit is 600 look-ups a minute, so 10,000 contacts take 17 minutes. Rows keep their order.

With --output, FILE gets its name only when it is complete. Its extension sets the format, and .gz compresses it. The command writes a checkpoint after every 50 rows. If it is interrupted, or ends with 401, 403 or five 5xx in a row, --resume continues from there and produces the same bytes, if the input is unchanged. A script can always pass --resume. If the service failed for an earlier contact, --resume goes back once to the 50 rows with the first such contact and checks everything from there again; contacts that fail again keep the result error.

With --output, --json prints a summary: {"checked", "contactable", "blocked", "invalid", "noIdentity", "errors", "columns": [name], "rows": written, "file"}; without it, --json is short for --format json.`;
  static override examples = [
    {
      description: 'The contacts of a list that may be contacted',
      command: '<%= config.bin %> outreach check contacts.csv --only contactable --output contactable.csv --resume',
    },
    {
      description: 'The blocked contacts with the reasons, for a program, with the email column named',
      command:
        '<%= config.bin %> outreach check leads.csv --email-column "Work email" --only blocked --format ndjson --fields doNotContact.reasons',
    },
    {
      description: 'Read stdin, write a compressed file',
      command: '<%= config.bin %> outreach check - --output checked.csv.gz < leads.csv',
    },
  ];
  static override exitCodes = {
    2: 'also when no row has a valid email address or profile URL',
    8: 'also when the service failed for every row',
    10: 'some rows are invalid or failed; the others were checked',
  };
  static override args = {
    file: Args.string({ description: 'CSV file with a header, or - for stdin', required: true }),
  };
  static override flags = {
    'email-column': Flags.string({ description: 'Column with the email address', helpValue: 'NAME' }),
    'profile-url-column': Flags.string({
      description: 'Column with profile URLs of the same contact; may be repeated',
      helpValue: 'NAME',
      multiple: true,
    }),
    only: Flags.option({ options: ONLY_RESULTS, description: 'Write only rows with this result' })(),
    fields: Flags.string({
      description: 'Add these fields of the answer, comma-separated; nested ones with dots',
      helpValue: 'a,b.c',
    }),
    format: Flags.option({
      options: ROW_FORMATS,
      description:
        "Default: by the extension of the file, else csv. In added CSV columns, text that begins with = + - @, a tab or a line break gets a leading ', so that spreadsheets do not run it",
    })(),
    output: exportFlags.output,
    resume: Flags.boolean({
      description: 'Resume the interrupted check into this file; start a new one if there is none',
      exclusive: ['restart'],
    }),
    restart: Flags.boolean({
      description: 'Discard what an interrupted check into this file has written and start over',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OutreachCheck);
    process.exitCode = await runCheck({
      bin: this.config.bin,
      file: args.file,
      parse: async (argv) => (argv === undefined ? flags : (await this.parse(OutreachCheck, argv)).flags),
      connect: () => ({ client: this.connect(flags), baseUrl: this.credentials(flags).baseUrl }),
    });
  }
}
