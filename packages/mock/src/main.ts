/** The `svc-mock` command. It loads neither msw nor @msw/data nor a framework, so that it starts fast. */
import { brandWorld } from '@svc/domain/pages/branding';
import { listenUrl } from '@svc/domain/network/listen-url';
import type { World as WorldFile } from '@svc/domain/world';
import packageJson from '../package.json' with { type: 'json' };
import { COMMANDS, helpText, type Options, readOptions, UsageError } from './options.ts';
import { createEngine } from './service/engine.ts';
import { createCallLog } from './skins/node/call-log.ts';
import { startStandalone } from './skins/node/standalone.ts';
import { postWithFetch } from './skins/post-with-fetch.ts';
import { setBackgroundTimer } from './skins/timers.ts';

async function start(options: Options): Promise<void> {
  const { file, branding, now, scenarios, seed, rateLimit, trustedProxies, runsJobs, latencyMs, receivers } = options;
  const log = createCallLog({
    write: (line) => void process.stderr.write(`${line}\n`),
    isVerbose: options.isVerbose,
    branding,
  });
  const engine = createEngine({
    file,
    branding,
    now,
    scenarios,
    seed,
    settings: { rateLimit, trustedProxies, runsJobs, latencyMs, receivers },
    realNow: () => new Date(),
    setTimer: setBackgroundTimer,
    post: postWithFetch,
    onCall: log.onCall,
    baseUrl: options.baseUrl ?? listenUrl(options.host, options.port),
    reportError: (error) => {
      process.stderr.write(`svc-mock: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    },
  });
  const server = await startStandalone(engine, { ...options, log });
  const stop = () => {
    engine.close();
    server.close().catch(() => process.exit(1));
  };
  // Set before the ready line, whose reader may send a signal at once.
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`svc-mock is ready on ${server.url}\n`);
  process.stderr.write(describeKeys(brandWorld(file, branding)));
}

async function run(): Promise<void> {
  const options = await readOptions(process.argv.slice(2), process.env['SVC_MOCK_CONTROL_TOKEN']);
  if (options === 'help') process.stdout.write(helpText());
  else if (options === 'version') process.stdout.write(`${packageJson.version}\n`);
  else await start(options);
}

/** Messages by system code. PORT and ADDRESS stand for what was tried. */
const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Port PORT is in use: stop the other process, or choose another port with --port (0 chooses a free one).',
  EACCES: 'You have no permission to listen on port PORT: choose one from 1024 on with --port.',
  EADDRNOTAVAIL: 'This machine does not have the address ADDRESS: see --host.',
  ENOTFOUND: 'This machine does not have the address ADDRESS: see --host.',
};

try {
  const [first = '', ...others] = process.argv.slice(2);
  // `help record` is the same as `record help` and `record --help`.
  const [command, ...rest] = first === 'help' && isCommand(others[0]) ? [others[0], '--help'] : [first, ...others];
  const args = rest[0] === 'help' ? ['--help'] : rest;
  if (!isCommand(command)) await run();
  else if (['version', '-v', '--version'].includes(args[0] ?? '')) process.stdout.write(`${packageJson.version}\n`);
  else if (command === 'wait') {
    const { runWaitCommand } = await import('./wait-command.ts');
    process.exitCode = await runWaitCommand(args);
  } else {
    const { runRecordingCommand } = await import('./recording-commands.ts');
    await runRecordingCommand(command, args);
  }
} catch (error) {
  process.stderr.write(`svc-mock: ${describe(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

function isCommand(word: string | undefined): word is (typeof COMMANDS)[number] {
  return COMMANDS.some((command) => command === word);
}

function describeKeys({ apiKeys }: WorldFile): string {
  const valid = apiKeys.filter(({ revokedAt, rotatedAt }) => revokedAt === null && rotatedAt === null);
  const width = Math.max(0, ...valid.map(({ token }) => token.length));
  const lines = valid.map(({ token, name, scopes, connectionId }) => {
    const where = connectionId === null ? '' : `, connection ${connectionId}`;
    return `  ${token.padEnd(width)}  ${name} (${scopes.join(', ')}${where})\n`;
  });
  return `Keys:\n${lines.join('')}`;
}

interface ListenFailure {
  readonly code?: string;
  readonly port?: number;
  readonly address?: string;
  readonly hostname?: string;
}

function describe(error: unknown): string {
  if (error instanceof UsageError) {
    const command = process.argv.slice(2, 3).filter(isCommand);
    return `${error.message}\n(${['svc-mock', ...command].join(' ')} --help lists the options)`;
  }
  const { code = '', port, address, hostname }: ListenFailure = Object(error);
  const known = LISTEN_ERRORS[code];
  if (known !== undefined) return known.replace('PORT', String(port)).replace('ADDRESS', String(address ?? hostname));
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
