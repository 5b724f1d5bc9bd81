import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../command/base-command.ts';
import { readEnvironment } from '../../config/environment.ts';
import { describeOverrides } from '../../config/overrides.ts';
import { readProfiles, requireProfile, useProfile } from '../../config/profiles.ts';
import { printJson } from '../../format/json.ts';

export default class ProfilesUse extends BaseCommand {
  static override summary = 'Set the default profile';
  static override environment = ['SVC_CONFIG_DIR'] as const;
  static override examples = [
    { description: 'Use staging by default', command: '<%= config.bin %> profiles use staging' },
    {
      description: 'Use a profile for one command',
      command: '<%= config.bin %> status --profile staging',
    },
  ];
  static override exitCodes = {
    2: 'also a profile that does not exist',
  };
  static override args = { name: Args.string({ description: 'Name of the profile', required: true }) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProfilesUse);
    await useProfile(this.config.configDir, args.name);
    if (flags.json) return printJson({ default: args.name });
    this.notice(`The default profile is now ${args.name}.`);
    const { baseUrl } = requireProfile(readProfiles(this.config.configDir), args.name);
    for (const text of describeOverrides(readEnvironment(), { name: args.name, baseUrl })) this.notice(text);
  }
}
