import { Config } from '@oclif/core/config';
import { readFolder } from '../config/environment.ts';

type RunHook = Config['runHook'];

/**
 * The part of oclif's configuration that a running command needs. Loading all of it (manifest, plugins, theme, shell)
 * takes longer than most commands; use `Config.load` to list commands.
 */
export class StaticOclifConfig extends Config {
  constructor({ name, version }: { readonly name: string; readonly version: string }) {
    super({ root: import.meta.dirname });
    this.name = name;
    this.version = version;
    this.bin = 'svc';
    this.dirname = 'svc';
    this.topicSeparator = ' ';
    this.userAgent = `${name}/${version} ${process.platform}-${process.arch} node-${process.version}`;
    this.configDir = readFolder('config');
    this.cacheDir = readFolder('cache');
  }

  /** No hooks are registered. */
  override runHook: RunHook = async () => ({ successes: [], failures: [] });

  override get commands(): never {
    throw new Error('the commands are not loaded: use Config.load');
  }

  override get commandIDs(): never {
    throw new Error('the commands are not loaded: use Config.load');
  }

  override get topics(): never {
    throw new Error('the topics are not loaded: use Config.load');
  }
}
