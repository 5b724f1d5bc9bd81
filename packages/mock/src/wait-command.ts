/** `svc-mock wait`: its options, and what it prints. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDuration } from '@svc/domain/values/duration';
import { Command } from 'commander';
import { completeLoopbackUrl, DEFAULT_PORT, parseStrictly, UsageError } from './options.ts';
import { waitFor } from './wait.ts';

const DEFAULT_URL = `http://127.0.0.1:${DEFAULT_PORT}`;
const DEFAULT_TIMEOUT = '30s';

const AFTER_OPTIONS = `
Asks URL/health/ready, of svc-mock or of a real service; a URL with a path is asked as it is. Ends with 0 when the answer is a success,
with 1 when the time is over (stderr says what happened instead), with 2 for an invalid option.

Examples:
  svc-mock --port 4010 & svc-mock wait http://127.0.0.1:4010
  svc-mock wait https://sync.example.com --timeout 5m
  svc-mock wait http://127.0.0.1:4010/__svc/health
`;

interface Values {
  readonly live?: true;
  readonly timeout?: string;
  readonly help?: true;
}

function createParser(): Command {
  return new Command('svc-mock wait')
    .description('Waits until a service answers.')
    .usage('[URL] [options]')
    .argument('[URL]', `address of the service (default ${DEFAULT_URL})`)
    .option('--timeout <DURATION>', `longest time to wait, such as 30s or 5m (default ${DEFAULT_TIMEOUT})`)
    .option('--live', 'waits only until it runs, ready or not (svc-mock --jobs off is never ready)')
    .helpOption(false)
    .option('-h, --help', 'prints this text')
    .configureHelp({ helpWidth: 160 })
    .configureOutput({ writeErr: () => {} })
    .allowExcessArguments(false)
    .exitOverride();
}

/** @returns the exit code. @throws UsageError */
export async function runWaitCommand(args: readonly string[]): Promise<number> {
  const parser = createParser();
  const parsed = parseStrictly(parser, args);
  const { live = false, timeout = DEFAULT_TIMEOUT, help = false } = parsed.opts<Values>();
  if (help) {
    process.stdout.write(parser.helpInformation() + AFTER_OPTIONS);
    return 0;
  }
  const url = toAskedUrl(parsed.args[0] ?? DEFAULT_URL, live ? 'live' : 'ready');
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs === null) throw new UsageError(`--timeout must be a duration such as 30s or 5m, not ${timeout}`);
  const reason = await waitFor(url, timeoutMs, {
    fetch: globalThis.fetch,
    nowMs: () => performance.now(),
    sleep: (ms) => sleep(ms),
    onWaiting: (each) => process.stderr.write(`Waiting for ${url}: ${each}.\n`),
  });
  if (reason === null) process.stdout.write(`${url} answers.\n`);
  else process.stderr.write(`svc-mock: ${url} did not answer with a success within ${timeout}: ${reason}.\n`);
  return reason === null ? 0 : 1;
}

function toAskedUrl(typed: string, wanted: 'live' | 'ready'): string {
  const text = completeLoopbackUrl(typed);
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new UsageError(`URL must be an http or https URL, such as ${DEFAULT_URL}, not ${text}`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw new UsageError('URL must not hold a user name or password');
  return url.pathname === '/' ? `${url.origin}/health/${wanted}` : url.href;
}
