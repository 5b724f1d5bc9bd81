import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../command/base-command.ts';
import { yesFlag } from '../../command/flags.ts';
import { readProfiles, removeProfiles, requireProfile } from '../../config/profiles.ts';
import { printJson } from '../../format/json.ts';
import { confirm } from '../../command/confirm.ts';

export default class ProfilesRemove extends BaseCommand {
  static override summary = 'Remove a profile and its key from this machine; asks for confirmation';
  static override environment = ['SVC_CONFIG_DIR'] as const;
  static override examples = [
    { description: 'Remove a profile', command: '<%= config.bin %> profiles remove staging' },
    { description: 'In a script', command: '<%= config.bin %> profiles remove staging --yes' },
  ];
  static override exitCodes = {
    2: 'also a profile that does not exist, or no --yes without a terminal',
  };
  static override args = { name: Args.string({ description: 'Name of the profile', required: true }) };
  static override flags = { yes: yesFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProfilesRemove);
    const { configDir } = this.config;
    const store = readProfiles(configDir);
    requireProfile(store, args.name);
    await confirm(`Remove profile ${args.name} and its key`, flags);
    await removeProfiles(configDir, [args.name]);
    if (flags.json) return printJson({ removed: [args.name] });
    this.notice(`Removed profile ${args.name}.`);
    if (store.active === args.name) this.notice('There is no default profile now. `svc profiles use NAME` sets one.');
  }
}
