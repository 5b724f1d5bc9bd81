import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../command/base-command.ts';
import { printJson, printText } from '../format/json.ts';

export default class Openapi extends BaseCommand {
  static override summary = 'Print the OpenAPI document of the service (no key needed)';
  static override environment = ['SVC_BASE_URL', 'SVC_PROFILE'] as const;
  static override examples = [
    { description: 'For a client generator', command: '<%= config.bin %> openapi > openapi.json' },
    { description: 'Read it', command: '<%= config.bin %> openapi --yaml | less' },
    { description: 'All paths', command: "<%= config.bin %> openapi --jq '.paths | keys[]'" },
  ];
  static override flags = {
    yaml: Flags.boolean({ description: 'Print YAML instead of JSON', exclusive: ['json', 'jq'] }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Openapi);
    const { discovery } = this.connectWithoutKey(flags);
    if (flags.yaml) await printText(await discovery.openapiYaml());
    else await printJson(await discovery.openapiJson());
  }
}
