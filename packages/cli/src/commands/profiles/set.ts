import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { usageError } from '../../errors/cli-error.ts';
import { parseHeaderPrefix } from '../../config/header-prefix.ts';
import { readEnvironment } from '../../config/environment.ts';
import { describeOverrides } from '../../config/overrides.ts';
import { type Profile, requireProfile, saveProfile } from '../../config/profiles.ts';
import { printJson } from '../../format/json.ts';
import { parseDefaultRange } from '../../command/log-range.ts';
import { parseAddress } from '../../config/credentials.ts';

export default class ProfilesSet extends BaseCommand {
  static override summary = 'Change the address, header prefix or default range of a profile';
  static override description = '`svc login --profile NAME` changes the key.';
  static override environment = ['SVC_CONFIG_DIR'] as const;
  static override examples = [
    {
      description: 'The service has moved',
      command: '<%= config.bin %> profiles set staging --base-url https://api.staging.example.com',
    },
    {
      description: 'Headers of the service begin with Acme- instead of Service-',
      command: '<%= config.bin %> profiles set staging --header-prefix Acme',
    },
    {
      description: 'Lists and counts of this service cover 30 days by default',
      command: '<%= config.bin %> profiles set staging --range 30d',
    },
  ];
  static override exitCodes = {
    2: 'also a profile that does not exist',
  };
  static override args = { name: Args.string({ description: 'Name of the profile', required: true }) };
  static override flags = {
    'header-prefix': Flags.string({
      description: "Prefix of the service's own headers; empty for the default, Service",
      helpValue: 'PREFIX',
    }),
    range: Flags.string({
      description: 'Default range of lists, counts and exports, such as 30d, or all; empty for that of svc config',
      helpValue: 'RANGE',
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ProfilesSet);
    const { 'base-url': baseUrl, 'header-prefix': prefix, range } = flags;
    if (baseUrl === undefined && prefix === undefined && range === undefined) {
      throw usageError('Nothing to change is given', 'Give --base-url, --header-prefix or --range.');
    }
    const { configDir } = this.config;
    let changed: Omit<Profile, 'apiKey'> = { baseUrl: '' };
    await saveProfile(configDir, args.name, (store) => {
      const { headerPrefix, range: oldRange, ...profile } = requireProfile(store, args.name);
      const newPrefix = prefix === undefined ? headerPrefix : prefix && parseHeaderPrefix(prefix, '--header-prefix');
      const newRange = range === undefined ? oldRange : range && parseDefaultRange(range, '--range');
      changed = {
        baseUrl: baseUrl === undefined ? profile.baseUrl : parseAddress(baseUrl, '--base-url'),
        ...(newPrefix ? { headerPrefix: newPrefix } : {}),
        ...(newRange ? { range: newRange } : {}),
      };
      return { ...profile, ...changed };
    });
    if (flags.json) return printJson({ profile: args.name, ...changed });
    const words = [
      changed.baseUrl,
      ...(changed.headerPrefix === undefined ? [] : [`headers ${changed.headerPrefix}-*`]),
      ...(changed.range === undefined ? [] : [`default range ${changed.range}`]),
    ];
    this.notice(`Profile ${args.name}: ${words.join(', ')}`);
    const overrides = describeOverrides(readEnvironment(), { name: args.name, baseUrl: changed.baseUrl });
    for (const text of overrides) this.notice(text);
  }
}
