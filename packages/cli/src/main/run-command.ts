import { readFileSync } from 'node:fs';
import { Config } from '@oclif/core/config';
import type { PlainCommand } from '../command/plain-command.ts';
import { readFolder } from '../config/environment.ts';
import type { FoundCommand } from './find-command.ts';

interface CommandModule {
  readonly default: {
    id: string;
    new (argv: string[], config: Config): PlainCommand;
  };
}

/** Runs a command, which reports its own failures. */
export async function runCommand({ id, url, argv }: FoundCommand, packageFolder: URL): Promise<void> {
  const { default: CommandClass }: CommandModule = await import(url.href);
  const manifest = JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8'));
  CommandClass.id = id;
  await new CommandClass([...argv], createConfig(manifest)).execute();
}

/**
 * Returns the part of oclif's configuration that a running command needs. To load all of it (manifest, plugins, theme,
 * shell) takes longer than most commands.
 */
export function createConfig({ name, version }: { readonly name: string; readonly version: string }): Config {
  const userAgent = `${name}/${version} ${process.platform}-${process.arch} node-${process.version}`;
  return Object.assign(new Config({ root: import.meta.dirname }), {
    ...{ name, version, userAgent, bin: 'svc', configDir: readFolder('config'), cacheDir: readFolder('cache') },
    // No hooks are registered.
    runHook: async () => ({ successes: [], failures: [] }),
  });
}
