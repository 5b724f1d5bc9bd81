import * as Args from '@oclif/core/args';
import { BaseCommand } from '../command/base-command.ts';
import { printJson } from '../format/json.ts';
import { writeStdout } from '../terminal/stdout.ts';
import { COMPLETION_SCRIPTS, parseShell, SHELLS } from '../features/completion/scripts.ts';

export default class Completion extends BaseCommand {
  static override summary = 'Print the script for shell completion of commands, flags, profiles and ids';
  static override description =
    'Ids are fetched from the service with the key that the command would use, and cached for a minute.';
  static override environment = ['SVC_CACHE_DIR'] as const;
  static override examples = [
    { description: 'bash: add this line to ~/.bashrc', command: 'source <(<%= config.bin %> completion bash)' },
    {
      description: 'zsh: write it to a folder of $fpath that is set before compinit',
      command: '<%= config.bin %> completion zsh > ~/.zsh/completions/_<%= config.bin %>',
    },
    {
      description: 'fish',
      command: '<%= config.bin %> completion fish > ~/.config/fish/completions/<%= config.bin %>.fish',
    },
  ];
  static override args = {
    shell: Args.string({ description: 'The shell', options: [...SHELLS], required: true }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Completion);
    const script = COMPLETION_SCRIPTS[parseShell(args.shell)];
    await (flags.json ? printJson({ shell: args.shell, script }) : writeStdout(script));
  }
}
