import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../command/base-command.ts';
import { findPage, type PageName, PAGES } from '../features/open/pages.ts';
import { printJson } from '../format/json.ts';
import { canOpenBrowser, openBrowser } from '../terminal/open-browser.ts';
import { writeStdout } from '../terminal/stdout.ts';

const NAMES = Object.keys(PAGES) as PageName[];

export default class Open extends BaseCommand {
  static override summary = 'Open a page of the service in the browser';
  static override description =
    `Pages: ${NAMES.map((name) => `${name} (${PAGES[name]})`).join(', ')}. The address comes from the service. It is opened with the command in BROWSER, else with the default browser, and printed with --print, with --json, without a terminal and without a browser.`;
  static override examples = [
    { description: 'Read the reference of the API', command: '<%= config.bin %> open docs' },
    { description: 'Reconnect a CRM', command: '<%= config.bin %> open connection 3' },
    { description: 'What a blocker means', command: '<%= config.bin %> open code crm_disconnected --print' },
  ];
  static override exitCodes = {
    3: 'the service names no such page, for example because nothing is wrong with the connection',
  };
  static override args = {
    page: Args.option({ options: NAMES, description: 'What to open' })({ required: true }),
    id: Args.string({ description: 'ID of the connection or source, or CODE' }),
  };
  static override flags = {
    print: Flags.boolean({ description: 'Only print the address', aliases: ['no-browser'] }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Open);
    const url = await findPage(this.connect(flags), args.page, args.id);
    if (flags.json) return printJson({ url });
    if (flags.print || !canOpenBrowser()) return writeStdout(`${url}\n`);
    this.notice(`Opening ${url}`);
    try {
      await openBrowser(url);
    } catch (error) {
      this.notice(`No browser could be opened: ${error instanceof Error ? error.message : String(error)}`);
      await writeStdout(`${url}\n`);
    }
  }
}
