import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../command/base-command.ts';
import { printJson, printText } from '../format/json.ts';

export default class Openapi extends BaseCommand {
  static override summary = 'Print the contract of the API, as the service hands it out; needs no key';
  static override examples = [
    { description: 'Into a generator of clients', command: '<%= config.bin %> openapi > openapi.json' },
    { description: 'To read', command: '<%= config.bin %> openapi --yaml | less' },
    { description: 'All paths', command: "<%= config.bin %> openapi --jq '.paths | keys[]'" },
  ];
  static override flags = {
    yaml: Flags.boolean({ description: 'YAML in place of JSON', exclusive: ['json', 'jq'] }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Openapi);
    const { discovery } = this.connectWithoutKey(flags);
    if (flags.yaml) await printText(await discovery.openapiYaml());
    else await printJson(await discovery.openapiJson());
  }
}
