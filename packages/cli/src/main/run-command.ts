import { readFileSync } from 'node:fs';
import type { Config } from '@oclif/core/config';
import type { PlainCommand } from '../command/plain-command.ts';
import { StaticOclifConfig } from './static-oclif-config.ts';
import type { FoundCommand } from './find-command.ts';

interface CommandModule {
  readonly default: {
    id: string;
    new (argv: string[], config: Config): PlainCommand;
  };
}

/** Runs a command without loading oclif's configuration. The command reports its own failures. */
export async function runCommand({ id, url, argv }: FoundCommand, packageFolder: URL): Promise<void> {
  const { default: CommandClass }: CommandModule = await import(url.href);
  const manifest = JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8'));
  CommandClass.id = id;
  await new CommandClass([...argv], new StaticOclifConfig(manifest)).execute();
}
