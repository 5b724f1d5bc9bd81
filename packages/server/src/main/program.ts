/** The commands of `svc-server`. The code of a command is loaded when it runs. */
import type { SimulatedCrm } from '@svc/simulators';
import { Argument, type Command, Option } from 'commander';
import { defineBackup } from '../admin/cli/backup.ts';
import { defineAdminCommands } from '../admin/cli/index.ts';
import {
  collect,
  type ConfigOptions,
  configFor,
  parsePort,
  parseRole,
  warnOfUnknownVariables,
} from '../admin/cli/options.ts';
import { StrictCommand } from '../admin/cli/strict-command.ts';
import { LOG_FORMATS } from '@svc/engine/config/environment-schema';
import { VERSION } from '@svc/engine/runtime/version';
import type { MigrateOptions } from './database-commands.ts';
import type { SimulateOptions } from './simulate.ts';

/** @param writesErrors false when errors are printed as JSON instead */
export function createProgram({ writesErrors }: { writesErrors: boolean }): Command {
  const program = new StrictCommand('svc-server')
    .description(
      'The Sequencer-to-CRM sync service, self-hosted. Configuration comes from the environment: svc-server help environment.',
    )
    .version(VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print the help of a command')
    .exitOverride();
  // Set before the commands are created, because each inherits it.
  if (!writesErrors) program.configureOutput({ writeErr: () => {} });

  program
    .command('start')
    .description('run the API, the inbound host and the workers, or some of them (--role); migrates the database first')
    .option('--demo', 'reload the demo world and answer CRM calls from a simulator on this machine', false)
    .option(
      '--world [file]',
      'reload this world file; without a file, serve the world that is in the database, and call only this machine',
    )
    .option('--port <number>', 'port to listen on; 0 picks a free one (default: SVC_PORT, else 4000)', parsePort)
    .option(
      '--role <names>',
      'run only api, inbound or worker, several with commas (default: SVC_ROLE, else all)',
      parseRole,
    )
    .option('--data-dir <dir>', 'folder of the embedded database (default: SVC_DATA_DIR, else .svc/data, or .svc/demo)')
    .option('--accept-copy', 'use a data directory that was copied or restored from another place', false)
    .addOption(
      new Option(
        '--log-format <format>',
        'json for programs, pretty for people (default: SVC_LOG_FORMAT, else json)',
      ).choices(LOG_FORMATS),
    )
    .action(async (options: ConfigOptions & { demo: boolean; world?: string | true; acceptCopy: boolean }) => {
      const config = configFor(options);
      if (config.databaseUrl === undefined) {
        const { compilePglite } = await import('@svc/engine/store/database/pglite-module');
        // In other threads, while this one loads the modules of the server. Opening the database reports a failure.
        compilePglite().catch(() => {});
      }
      const { start } = await import('./start.ts');
      await start(config, { demo: options.demo, world: options.world, acceptsCopy: options.acceptCopy });
    });

  program
    .command('migrate')
    .description('bring the database schema up to date and exit')
    .option('--plan', 'print what would run, what it locks and how large the tables are, and change nothing')
    .option(
      '--finish',
      'run the steps that wait until no server of an earlier release is left; repeat it after a failure',
    )
    .option('--force', 'with --finish: although connections of an earlier release are open')
    .option('--data-dir <dir>', 'folder of the embedded database')
    .action(async (options: ConfigOptions & MigrateOptions) => {
      warnOfUnknownVariables();
      const { migrateCommand } = await import('./database-commands.ts');
      await migrateCommand(configFor(options), options);
    });

  const world = program.command('world').description('worlds: whole data sets as one JSON file');
  world
    .command('load <file>')
    .description('load a world file into an empty database, or replace an earlier world')
    .option('--data-dir <dir>', 'folder of the embedded database (default: SVC_DATA_DIR, else .svc/demo)')
    .action(async (file: string, options: ConfigOptions) => {
      warnOfUnknownVariables();
      const { worldLoad } = await import('./database-commands.ts');
      await worldLoad(configFor(options), file);
    });

  program
    .command('simulate')
    .description('run a simulated CRM on this machine, which a server can write to; its data ends with it')
    .addArgument(new Argument('<crm>', 'the CRM').choices(['hubspot', 'salesforce', 'pipedrive']))
    .option('--port <number>', 'port to listen on; 0 picks a free one', parsePort, 0)
    .option('--organization-id <id>', 'id of its account, as connections add takes it')
    .option('--owner <email>', 'a user of the account, who can own contacts; repeatable', collect)
    .option('--token <token>', 'an access token that it accepts, repeatable (default: any)', collect)
    .option('--limits', 'limit calls as the CRM does; without it HubSpot and Pipedrive take any number', false)
    .addHelpText('after', '\nExample:\n  $ svc-server simulate hubspot --port 4010')
    .action(async (crm: SimulatedCrm, options: SimulateOptions) => {
      const { simulate } = await import('./simulate.ts');
      await simulate(crm, options);
    });

  program
    .command('doctor')
    .description(
      'check configuration, machine, database, queue, encryption key and addresses, and explain how to fix problems',
    )
    .option('--data-dir <dir>', 'folder of the embedded database')
    .option('--json', 'print one JSON document to stdout')
    .addHelpText('after', '\nExample:\n  $ svc-server doctor --data-dir /var/lib/svc')
    .action(async (options: ConfigOptions & { json?: boolean }) => {
      const { doctor } = await import('../admin/doctor/doctor.ts');
      process.exitCode = await doctor(options);
    });

  program
    .command('health')
    .description('ask the server that runs here with this configuration whether it is ready; ends with 0 or 1')
    .option('--live', 'ask only whether it answers, also while the database is away', false)
    .option('--port <number>', 'port of the server (default: SVC_PORT, else 4000)', parsePort)
    .addHelpText('after', '\nIt asks SVC_ADMIN_PORT where that is set.')
    .action(async (options: ConfigOptions & { live: boolean }) => {
      const { askHealth } = await import('./health.ts');
      const { ok, message } = await askHealth(configFor(options), options);
      if (ok) process.stdout.write(`${message}\n`);
      else {
        process.stderr.write(`svc-server: ${message}\n`);
        process.exitCode = 1;
      }
    });

  defineBackup(program);
  defineAdminCommands(program);
  return program;
}
