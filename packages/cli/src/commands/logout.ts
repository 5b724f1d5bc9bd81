import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../command/base-command.ts';
import { readEnvironment } from '../config/environment.ts';
import { yesFlag } from '../command/flags.ts';
import { readProfiles, removeProfiles } from '../config/profiles.ts';
import { printJson } from '../format/json.ts';
import { confirm } from '../command/confirm.ts';
import { chooseLogouts } from '../features/config/logout.ts';

export default class Logout extends BaseCommand {
  static override summary = 'Remove a stored key from this machine';
  static override description =
    'Without --profile, removes the profile of SVC_PROFILE or the default profile. The key itself stays valid until it is revoked at the service.';
  static override environment = ['SVC_CONFIG_DIR'] as const;
  static override examples = [
    { description: 'Remove the default profile', command: '<%= config.bin %> logout' },
    { description: 'Remove another profile', command: '<%= config.bin %> logout --profile staging' },
    { description: 'Remove all keys without a prompt', command: '<%= config.bin %> logout --all --yes' },
  ];
  static override exitCodes = {
    2: 'also --all without --yes and without a terminal',
    4: 'no key is stored',
  };
  static override flags = {
    all: Flags.boolean({ description: 'All profiles; asks for confirmation', exclusive: ['profile'] }),
    yes: yesFlag,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Logout);
    const { configDir } = this.config;
    const environment = readEnvironment();
    const names = chooseLogouts(flags, environment, readProfiles(configDir));
    if (flags.all) await confirm(`Remove the keys of ${names.join(', ')}`, flags);
    await removeProfiles(configDir, names);
    if (flags.json) return printJson({ removed: names });
    this.notice(`Removed from this machine: ${names.join(', ')}. The keys themselves were not revoked.`);
    if (environment.apiKey !== null) this.notice('SVC_API_KEY is still set and will be used.');
  }
}
