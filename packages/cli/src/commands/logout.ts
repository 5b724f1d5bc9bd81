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
    'Without --profile: that of SVC_PROFILE, or of the default profile. The key itself stays valid until it is revoked at the service.';
  static override examples = [
    { description: 'Forget the default profile', command: '<%= config.bin %> logout' },
    { description: 'Forget another one', command: '<%= config.bin %> logout --profile staging' },
    { description: 'Leave no key on a machine that is given away', command: '<%= config.bin %> logout --all --yes' },
  ];
  static override exitCodes = {
    2: 'also --all without --yes where there is no terminal to ask on',
    4: 'no key is stored',
  };
  static override flags = {
    all: Flags.boolean({ description: 'All profiles; asks first', exclusive: ['profile'] }),
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
    this.notice(`Removed from this machine: ${names.join(', ')}. What is valid at the service stays valid there.`);
    if (environment.apiKey !== null) this.notice('SVC_API_KEY is still set, and is used from now on.');
  }
}
