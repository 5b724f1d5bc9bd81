/** The `svc-server` command. */
import { Command, InvalidArgumentError } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { type Config, ConfigError, readConfig } from './config.ts';
import { ListenError } from './http/listen.ts';
import { DataDirInUseError } from './store/data-dir-lock.ts';
import { DatabaseUnavailableError } from './store/db.ts';
import { NotReplaceableError } from './world/load-world.ts';

interface GlobalOptions {
  dataDir?: string;
  port?: number;
}

const program = new Command('svc-server')
  .description(
    'The Sequencer-to-CRM sync service, self-hosted. Configuration comes from the environment (see the README).',
  )
  .version(packageJson.version)
  .showHelpAfterError('(svc-server --help lists the commands)');

program
  .command('start')
  .description('run API, inbound host and workers; migrates the database first')
  .option('--demo', 'load the demo world anew and answer CRM calls from a simulator on this machine', false)
  .option('--world <file>', 'load this world file anew instead of the demo world')
  .option('--port <number>', 'port to listen on; 0 picks a free one (default: SVC_PORT, else 4000)', parsePort)
  .option('--data-dir <dir>', 'folder of the embedded database (default: SVC_DATA_DIR, else .svc/data, or .svc/demo)')
  .action(async (options: GlobalOptions & { demo: boolean; world?: string }) => {
    const { start } = await import('./commands/start.ts');
    await start(configFor(options), { demo: options.demo, world: options.world });
  });

program
  .command('migrate')
  .description('bring the database schema up to date and end')
  .option('--data-dir <dir>', 'folder of the embedded database')
  .action(async (options: GlobalOptions) => {
    const { migrateCommand } = await import('./commands/migrate.ts');
    await migrateCommand(configFor(options));
  });

const world = program.command('world').description('worlds: whole data sets as one JSON file');
world
  .command('load <file>')
  .description('load a world file into an empty database, or in place of an earlier world')
  .option('--data-dir <dir>', 'folder of the embedded database')
  .action(async (file: string, options: GlobalOptions) => {
    const { worldLoad } = await import('./commands/world-load.ts');
    await worldLoad(configFor(options), file);
  });

function configFor(options: GlobalOptions): Config {
  const config = readConfig();
  return { ...config, dataDir: options.dataDir ?? config.dataDir, port: options.port ?? config.port };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError('It must be 0 to 65535.');
  return port;
}

/** Failures that the person at the keyboard can mend: the message is the help, a stack would hide it. */
const MENDABLE = [ConfigError, DataDirInUseError, DatabaseUnavailableError, ListenError, NotReplaceableError];

try {
  await program.parseAsync();
} catch (error) {
  const isMendable = MENDABLE.some((type) => error instanceof type);
  process.stderr.write(`svc-server: ${isMendable && error instanceof Error ? error.message : describe(error)}\n`);
  process.exitCode = 1;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
