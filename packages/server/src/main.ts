/** The `svc-server` command: the table of what it can do. What a command does is loaded when it is run. */
import { Command } from 'commander';
import { defineAdminCommands } from './commands/admin/index.ts';
import { type ConfigOptions, configFor, parsePort } from './commands/options.ts';
import { VERSION } from './version.ts';

/** Looked for before the command line is read, because it may be one that cannot be. */
const json = process.argv.includes('--json');

// What it writes is its user's alone; the files of the database, which PGlite gives modes of its own, are so by their folder.
process.umask(0o077);

const program = new Command('svc-server')
  .description(
    'The Sequencer-to-CRM sync service, self-hosted. Configuration comes from the environment (see the README).',
  )
  .version(VERSION)
  .showHelpAfterError('(svc-server --help lists the commands)')
  .exitOverride();
// Before the commands are made: each takes over what is set here.
if (json) program.configureOutput({ writeErr: () => {} });

program
  .command('start')
  .description('run API, inbound host and workers; migrates the database first')
  .option('--demo', 'load the demo world anew and answer CRM calls from a simulator on this machine', false)
  .option(
    '--world [file]',
    'load this world file anew; without a file, serve the world that the database holds as it is, and call only this machine',
  )
  .option('--port <number>', 'port to listen on; 0 picks a free one (default: SVC_PORT, else 4000)', parsePort)
  .option('--data-dir <dir>', 'folder of the embedded database (default: SVC_DATA_DIR, else .svc/data, or .svc/demo)')
  .action(async (options: ConfigOptions & { demo: boolean; world?: string | true }) => {
    const { start } = await import('./commands/start.ts');
    await start(configFor(options), { demo: options.demo, world: options.world });
  });

program
  .command('migrate')
  .description('bring the database schema up to date and end')
  .option('--data-dir <dir>', 'folder of the embedded database')
  .action(async (options: ConfigOptions) => {
    const { migrateCommand } = await import('./commands/migrate.ts');
    await migrateCommand(configFor(options));
  });

const world = program.command('world').description('worlds: whole data sets as one JSON file');
world
  .command('load <file>')
  .description('load a world file into an empty database, or in place of an earlier world')
  .option('--data-dir <dir>', 'folder of the embedded database (default: SVC_DATA_DIR, else .svc/demo)')
  .action(async (file: string, options: ConfigOptions) => {
    const { worldLoad } = await import('./commands/world-load.ts');
    await worldLoad(configFor(options), file);
  });

program
  .command('doctor')
  .description('check configuration, machine, database, queue, key material and addresses; says what to do')
  .option('--data-dir <dir>', 'folder of the embedded database')
  .option('--json', 'one JSON document on stdout')
  .addHelpText('after', '\nExample:\n  $ svc-server doctor --data-dir /var/lib/svc')
  .action(async (options: ConfigOptions & { json?: boolean }) => {
    const { doctor } = await import('./commands/doctor.ts');
    process.exitCode = await doctor(options);
  });

defineAdminCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  const { reportError } = await import('./commands/report-error.ts');
  process.exitCode = reportError(error, { json });
}
