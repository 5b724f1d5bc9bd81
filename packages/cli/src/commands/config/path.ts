import { BaseCommand } from '../../command/base-command.ts';
import { configFile } from '../../config/config-files.ts';
import { printJson } from '../../format/json.ts';
import { writeStdout } from '../../terminal/stdout.ts';
import type { Settings } from '../../config/settings.ts';

export default class ConfigPath extends BaseCommand {
  static override summary = 'Show the files of the defaults and profiles, and the cache folder';
  static override description = 'SVC_CONFIG_DIR and SVC_CACHE_DIR change these folders.';
  static override environment = ['SVC_CONFIG_DIR', 'SVC_CACHE_DIR'] as const;
  static override examples = [
    { description: 'The file with the defaults', command: '<%= config.bin %> config path' },
    { description: 'All paths', command: '<%= config.bin %> config path --json' },
  ];

  /** Does not read the file, so that the command works when the file is broken. */
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
