import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { findReconnectPage } from '../../features/open/pages.ts';
import { printJson } from '../../format/json.ts';
import { canOpenBrowser, openBrowser } from '../../terminal/open-browser.ts';
import { writeStdout } from '../../terminal/stdout.ts';

export default class ConnectionsReconnect extends BaseCommand {
  static override summary = 'Open the page on which a disconnected CRM is connected again';
  static override description =
    'The address comes from the remediation of the blocker `crm_disconnected`. It is opened in the browser, and printed with --print, with --json, without a terminal and without a browser.';
  static override examples = [
    { description: 'The only disconnected connection', command: '<%= config.bin %> connections reconnect' },
    { description: 'One of several', command: '<%= config.bin %> connections reconnect 3 --print' },
  ];
  static override exitCodes = { 3: 'the connection is not disconnected, or there is none with this id' };
  static override args = {
    id: Args.integer({ description: 'Id of the connection; default: the only disconnected one', min: 1 }),
  };
  static override flags = {
    print: Flags.boolean({ description: 'Only print the address', aliases: ['no-browser'] }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConnectionsReconnect);
    const { connectionId, url } = await findReconnectPage(this.connect(flags), args.id);
    if (flags.json) return printJson({ connectionId, url });
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
