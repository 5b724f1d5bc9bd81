import { BaseCommand } from '../../command/base-command.ts';
import { configFile } from '../../config/config-files.ts';
import { printJson } from '../../format/json.ts';
import { writeStdout } from '../../terminal/stdout.ts';
import type { Settings } from '../../config/settings.ts';

export default class ConfigPath extends BaseCommand {
  static override summary = 'Show where defaults, profiles and what may be deleted are kept';
  static override description = 'SVC_CONFIG_DIR and SVC_CACHE_DIR move them.';
  static override examples = [
    { description: 'The file of the defaults', command: '<%= config.bin %> config path' },
    { description: 'All of them', command: '<%= config.bin %> config path --json' },
  ];

  /** It answers also where the file is broken: that is when one wants to know. */
  protected override settings(): Settings {
    return {};
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(ConfigPath);
    const { configDir, cacheDir } = this.config;
    const config = configFile(configDir, 'config');
    if (flags.json) return printJson({ config, profiles: configFile(configDir, 'profiles'), cache: cacheDir });
    await writeStdout(`${config}\n`);
  }
}
