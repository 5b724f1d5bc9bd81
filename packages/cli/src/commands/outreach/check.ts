import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { exportFlags } from '../../features/export/flags.ts';
import { ROW_FORMATS } from '../../format/row-encoder.ts';
import { ONLY, runCheck } from '../../features/outreach/check-contacts.ts';

export default class OutreachCheck extends BaseCommand {
  static override summary = 'Look up every contact of a CSV file, and whether it may be contacted';
  static override description =
    `Adds columns to what is in the file. outreach.result is blocked (doNotContact.value is true: a bounce or an unsubscription is known), contactable (it is false), invalid (outreach.error says why the email address or profile URL is none), no_identity (the row has neither) or error (the service failed at this contact). Behind it come the fields of the answer: those of --fields, else doNotContact.value and .reasons, found, summary.everContacted, .lastTouchAt, .lastEventType and .lastPlatform, platforms.platform, outcomes.replied and .lastCategoryName. In JSON all of this is one object, outreach. Times are those of the service: when it processed the event.

The file has a header and is in UTF-8; cells are parted by commas, semicolons, tabs or |. Its columns come back as they are, with the same delimiter. Email addresses and profile URLs (up to five; all of a row are taken for one contact) are found in columns with usual names, such as Email or LinkedIn URL. A column is chosen by its name or number.

A contact is looked up once for all its rows (as long as it is among the last 20,000), with a limit of 600 look-ups a minute: 10,000 contacts take 17 minutes. Rows keep their order.

With --output, FILE appears under its name only when it is complete, in the form that its ending says, and packed if .gz follows. The command writes a checkpoint after every 50 rows. If it is interrupted, or ends with 401, 403 or five 5xx in a row, --resume continues from there to the same bytes, if the input is still the same. A script can always pass --resume. If the service failed at a contact before that, --resume goes back once to the 50 rows that hold the first such contact and checks everything from there again; contacts that fail there again keep the result error.

With --output, --json prints a summary: {"checked", "contactable", "blocked", "invalid", "noIdentity", "errors", "columns": [name], "rows": written, "file"}; without it, --json is short for --format json.`;
  static override examples = [
    {
      description: 'Who of a list may be contacted',
      command: '<%= config.bin %> outreach check contacts.csv --only contactable --output contactable.csv --resume',
    },
    {
      description: 'The blocked contacts of another column, with the reasons, for another program',
      command:
        '<%= config.bin %> outreach check leads.csv --email-column "Work email" --only blocked --format ndjson --fields doNotContact.reasons',
    },
    {
      description: 'From stdin, packed',
      command: '<%= config.bin %> outreach check - --output checked.csv.gz < leads.csv',
    },
  ];
  static override exitCodes = {
    2: 'also when no row has a valid email address or profile URL',
    8: 'also when the service failed at every row',
    10: 'some rows are invalid or failed; the others are checked',
  };
  static override args = {
    file: Args.string({ description: 'CSV file with a header; -: stdin', required: true }),
  };
  static override flags = {
    'email-column': Flags.string({ description: 'Column with the email address', helpValue: 'NAME' }),
    'profile-url-column': Flags.string({
      description: 'Column with profile URLs of the same contact; may be given several times',
      helpValue: 'NAME',
      multiple: true,
    }),
    only: Flags.option({ options: ONLY, description: 'Write only rows with this result' })(),
    fields: Flags.string({
      description: 'Add these fields of the answer, comma-separated; nested ones with dots',
      helpValue: 'a,b.c',
    }),
    format: Flags.option({
      options: ROW_FORMATS,
      description:
        "Default: by the ending of the file, else csv. Text of added CSV columns that begins with = + - @, a tab or a line break gets a ' in front, or a spreadsheet would run it",
    })(),
    output: exportFlags.output,
    resume: Flags.boolean({
      description: 'Go on with the check into this file that was interrupted; start one where there is none',
      exclusive: ['restart'],
    }),
    restart: Flags.boolean({ description: 'Throw away what an interrupted check into this file has written' }),
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
