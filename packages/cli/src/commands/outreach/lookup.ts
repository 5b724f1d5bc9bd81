import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { usageError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { parseFields } from '../../format/fields.ts';
import { OUTREACH_FIELDS, toShownOutreach } from '../../features/outreach/fields.ts';
import { renderOutreach } from '../../features/outreach/render.ts';
import { printRecord } from '../../format/record.ts';
import { terminalWidth } from '../../terminal/stdout.ts';

export default class OutreachLookup extends BaseCommand {
  static override summary = 'Show past outreach to a contact and whether it may be contacted';
  static override description =
    'An email address and up to five profile URLs of the same contact are looked up together. An unknown contact is not an error. With --exit-code, scripts can branch on the answer: 0 means OK to contact, 9 do not contact (doNotContact.value: a bounce or an unsubscribe is on record). --json prints the answer of the API without its field blocklists, which has no meaning in this release.';
  static override examples = [
    { description: 'By email address', command: '<%= config.bin %> outreach lookup kim@example.org' },
    {
      description: 'By email address and profile URL, for a script',
      command:
        '<%= config.bin %> outreach lookup kim@example.org linkedin.com/in/kim --json --fields doNotContact.value',
    },
    {
      description: 'Send only if the contact may be contacted; a failed look-up does not send either',
      command: 'if <%= config.bin %> outreach lookup kim@example.org --exit-code; then ./send.sh; fi',
    },
  ];
  static override exitCodes = { 9: 'with --exit-code: do not contact' };
  static override args = {
    contact: Args.string({
      description: 'Email address and profile URLs of one contact, in any order',
      multiple: true,
    }),
  };
  static override flags = {
    email: Flags.string({ description: 'Email address of the contact' }),
    'profile-url': Flags.string({
      description: 'Profile URL of the same contact; may be repeated, up to five',
      helpValue: 'URL',
      multiple: true,
    }),
    fields: fieldsFlag,
    'exit-code': Flags.boolean({ description: 'Exit with 9 for do not contact; otherwise every answer exits with 0' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(OutreachLookup);
    const fields = parseFields(flags.fields, OUTREACH_FIELDS);
    const words = args.contact ?? [];
    const wrong = words.find((word) => !isEmail(word) && !isUrl(word));
    if (wrong !== undefined) {
      throw usageError(
        `${wrong} is neither an email address nor a profile URL`,
        'Write them like kim@example.org or linkedin.com/in/kim.',
      );
    }
    const [email, ...otherEmails] = [...(flags.email === undefined ? [] : [flags.email]), ...words.filter(isEmail)];
    const urls = [...(flags['profile-url'] ?? []), ...words.filter(isUrl)];
    if (otherEmails.length > 0) {
      throw usageError(
        'Several email addresses are given',
        'Look up one contact at a time, or a file: svc outreach check.',
      );
    }
    if (email === undefined && urls.length === 0) {
      throw usageError('No contact is given', 'Give an email address or a profile URL.');
    }
    const profileUrls = urls.length === 0 ? undefined : urls;
    const outreach = await this.connect(flags).contacts.outreach({ email, profileUrls });
    await printRecord(toShownOutreach(outreach), {
      isJson: flags.json,
      fields,
      render: (paint) => renderOutreach(outreach, terminalWidth(), paint),
    });
    if (flags['exit-code'] && outreach.doNotContact.value) process.exitCode = EXIT_CODES.negative;
  }
}

function isEmail(word: string): boolean {
  return /^[^\s@/]+@[^\s@/]+$/.test(word);
}

/** Whether it has a host and a path. The service knows which of them are profiles. */
function isUrl(word: string): boolean {
  return /^(?:[a-z]+:)?(?:\/\/)?[^\s/]+\.[^\s/]+\/\S+$/i.test(word);
}
