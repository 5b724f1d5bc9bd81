import { beforeEach, expect, test } from 'vitest';
import { StrictCommand } from './strict-command.ts';

let printed: string;
let program: StrictCommand;
beforeEach(() => {
  printed = '';
  program = new StrictCommand('svc-server').exitOverride().configureOutput({
    writeErr: (text) => {
      printed += text;
    },
  });
  program.command('start').option('--port <number>').option('--data-dir <dir>');
  program.command('doctor');
  const connections = program.command('connections');
  connections.command('add').option('--token-file <file>').requiredOption('--account <id>');
  connections.command('list');
  connections.command('remove <id>');
});

test.each([
  // No `status`: the likeliest spelling would be `start`, which would start a second server.
  ['status', "unknown command 'status'", 'Did you mean doctor?', 'svc-server --help lists the commands'],
  ['serve', "unknown command 'serve'", 'Did you mean start?', 'svc-server --help lists the commands'],
  ['connections ls', "unknown command 'ls'", 'Did you mean list?', 'svc-server connections --help lists the commands'],
  [
    'connections rm 1',
    "unknown command 'rm'",
    'Did you mean remove?',
    'svc-server connections --help lists the commands',
  ],
  [
    'syncs list --limit 5',
    "unknown command 'syncs'",
    'svc syncs list does this: svc is the command line of the API',
    'svc-server --help lists the commands',
  ],
  [
    'connections get 1',
    "unknown command 'get'",
    'svc connections get does this: svc is the command line of the API',
    'svc-server connections --help lists the commands',
  ],
  [
    'webhooks add',
    "unknown command 'webhooks'",
    'svc webhooks create does this: svc is the command line of the API',
    'svc-server --help lists the commands',
  ],
  [
    'metrics',
    "unknown command 'metrics'",
    'svc metrics does this: svc is the command line of the API',
    'svc-server --help lists the commands',
  ],
  ['strat', "unknown command 'strat'", 'Did you mean start?', 'svc-server --help lists the commands'],
  [
    'connections add --account 1 --token x',
    "unknown option '--token'",
    'Did you mean --token-file?',
    'svc-server connections add --help lists the options',
  ],
  [
    'start --host 0.0.0.0',
    "unknown option '--host'",
    'Not an option: set the variable SVC_HOST',
    'svc-server start --help lists the options',
  ],
  [
    'start --database-url x',
    "unknown option '--database-url'",
    'Not an option: set the variable DATABASE_URL',
    'svc-server start --help lists the options',
  ],
  ['start --prt 1', "unknown option '--prt'", 'Did you mean --port?', 'svc-server start --help lists the options'],
])('%s', async (line, problem, hint, help) => {
  await expect(program.parseAsync(line.split(' '), { from: 'user' })).rejects.toThrow(problem);
  expect(printed).toBe(`error: ${problem}\n(${hint})\n(${help})\n`);
});

test('a missing option points to the help of its own command', async () => {
  await expect(program.parseAsync(['connections', 'add'], { from: 'user' })).rejects.toThrow(
    "required option '--account <id>' not specified",
  );
  expect(printed).toContain('(svc-server connections add --help lists the options)');
});
