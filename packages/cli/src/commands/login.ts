import { BaseCommand } from '../command/base-command.ts';
import { readEnvironment } from '../config/environment.ts';
import { describeOverrides } from '../config/overrides.ts';
import { DEFAULT_HEADER_PREFIX } from '../config/header-prefix.ts';
import { prepareProfiles, readProfiles, saveProfile } from '../config/profiles.ts';
import { printJson } from '../format/json.ts';
import { DEFAULT_PROFILE, resolveLoginAddress } from '../config/credentials.ts';
import { readSecret } from '../command/read-secret.ts';

export default class Login extends BaseCommand {
  static override summary = 'Check a key and store it as a profile';
  static override description =
    'The key is typed without being shown, or read from stdin. It cannot be a flag, because other users and the shell history would see it.';
  static override environment = ['SVC_BASE_URL', 'SVC_CONFIG_DIR'] as const;
  static override examples = [
    { description: 'Type the key at a prompt', command: '<%= config.bin %> login' },
    {
      description: 'Take the key from a password manager',
      command: 'pass show svc | <%= config.bin %> login --profile staging --base-url https://api.staging.example.com',
    },
  ];
  static override exitCodes = {
    2: 'also: no key was given',
    4: 'the service rejects the key; nothing is stored',
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(Login);
    const profile = flags.profile ?? DEFAULT_PROFILE;
    const store = readProfiles(this.config.configDir);
    const address = resolveLoginAddress(flags, readEnvironment(), store, this.settings());
    // Fails before the user types the key.
    prepareProfiles(this.config.configDir);
    const apiKey = await readSecret(`API key for ${address.baseUrl}: `);
    const credentials = { ...address, apiKey, keyIsFor: null, keySource: 'the input' };
    this.checkKey(credentials);
    const client = this.createClient(credentials, flags);
    const { account } = await client.me.get();
    const { baseUrl, headerPrefix } = address;
    const prefix = headerPrefix === DEFAULT_HEADER_PREFIX ? {} : { headerPrefix };
    await saveProfile(this.config.configDir, profile, ({ profiles }) => {
      const range = profiles[profile]?.range;
      return { apiKey, baseUrl, ...prefix, ...(range === undefined ? {} : { range }) };
    });
    if (flags.json) return printJson({ profile, account: account.email, baseUrl });
    this.notice(`Stored as profile ${profile}: ${account.email} at ${baseUrl}`);
    const isDefault = store.active === null || store.active === profile;
    if (!isDefault) this.notice(`The default is still ${store.active}: \`svc profiles use ${profile}\` changes it.`);
    for (const text of describeOverrides(readEnvironment(), { name: profile, baseUrl })) this.notice(text);
  }
}
