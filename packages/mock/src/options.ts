/** Command-line options of `svc-mock`. */
import { readFile } from 'node:fs/promises';
import { type Branding, BRANDING_RULES, isPrefix, toBranding } from '@svc/domain/pages/branding';
import type { World as WorldFile } from '@svc/domain/world';
import { isLoopbackHost } from '@svc/domain/network/loopback';
import { completeUrl } from '@svc/domain/values/complete-url';
import { parseMoment } from '@svc/domain/values/moment';
import { quoteInput } from '@svc/domain/values/quote-input';
import { Command } from 'commander';
import { distance } from 'fastest-levenshtein';
import { demoWorld } from './demo-world.ts';
import { assertReceiverAllowed } from './state/receivers.ts';
import { isScenarioName, SCENARIO_NAMES, type ScenarioName } from './state/scenario-names.ts';
import { HOST_NAME } from './state/settings.ts';

export const DEFAULT_PORT = 4010;

/** Commands with options of their own; without one, the mock starts. */
export const COMMANDS = ['record', 'replay', 'wait'] as const;

const AFTER_OPTIONS = `
Keys of the demo world: osapi_demo_write, osapi_demo_read, osapi_demo_connection, osapi_demo_other, ... (all are printed to stderr at start)
Page with the worlds, their calls and the control endpoints: http://127.0.0.1:PORT
Control endpoints: http://127.0.0.1:PORT/__svc (described by /__svc/openapi.json)

Examples:
  svc-mock --port 0 --scenario not-ready
  svc-mock --now 2026-01-15T12:00:00Z --rate-limit spec --receiver hooks.example.com=http://127.0.0.1:9000
Until it answers:
  svc-mock wait http://127.0.0.1:4010
Recordings of a real service (see their --help):
  svc-mock record --upstream https://api.example.com --output cassette.json
  svc-mock replay cassette.json
`;

/** The options as typed. */
type Values = { readonly [Name in SingleOption]?: string } & {
  readonly scenario?: readonly string[];
  readonly receiver?: readonly string[];
  readonly allowRemoteReceivers?: true;
  readonly verbose?: true;
  readonly help?: true;
  readonly version?: true;
};
type SingleOption =
  | 'port'
  | 'host'
  | 'baseUrl'
  | 'world'
  | 'now'
  | 'rateLimit'
  | 'trustProxy'
  | 'jobs'
  | 'latency'
  | 'seed'
  | 'headerPrefix'
  | 'keyPrefix'
  | 'secretPrefix'
  | 'controlToken';

function createParser() {
  const repeated = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
  return (
    new Command('svc-mock')
      .description('A mock of the whole public API v1, offline, on this machine.')
      .option('--port <NUMBER>', `port to listen on; 0 chooses a free one (default ${DEFAULT_PORT})`)
      .option('--host <ADDRESS>', 'address to listen on (default 127.0.0.1)')
      .option('--base-url <URL>', 'address that answers show, for example that of a proxy (default: host and port)')
      .option('--scenario <NAME>', `scenario to start with, repeatable: ${SCENARIO_NAMES.join(', ')}`, repeated)
      .option('--world <FILE>', 'world file to start with (default: the demo world)')
      .option('--now <TIME>', 'freezes the clock at this time, UTC without an offset (default: the clock runs)')
      .option('--rate-limit <off|spec>', "spec enforces the API's published limits (default off)")
      .option(
        '--trust-proxy <NUMBER>',
        'number of trusted proxies, whose X-Forwarded-For gives the address for the limit per IP (default 0)',
      )
      .option(
        '--jobs <on|off>',
        'off: due jobs wait for /__svc/settle or /__svc/clock, and /health/ready answers 503 (default on)',
      )
      .option('--latency <MS>', 'milliseconds added to every API answer')
      .option('--seed <NUMBER>', 'seed of the random generator: the same seed and calls give the same ids (default 1)')
      .option(
        '--receiver <HOST=URL>',
        'sends posts for HOST to URL, repeatable; other posts are only recorded in the outbox',
        repeated,
      )
      .option('--allow-remote-receivers', 'allows receivers on other machines')
      .option('--header-prefix <PREFIX>', "prefix of the service's own headers (default Service-)")
      .option('--key-prefix <PREFIX>', 'prefix of API keys (default osapi_)')
      .option('--secret-prefix <PREFIX>', 'prefix of webhook signing secrets (default oswhsec_)')
      .option(
        '--control-token <TOKEN>',
        'callers that send it in Svc-Control-Token may control the mock from anywhere (or SVC_MOCK_CONTROL_TOKEN)',
      )
      .option('--verbose', 'writes a line to stderr for each call: what it matched and how it was answered')
      .option('-v, --version', 'prints the version')
      // `help`, `version`, or a mistake.
      .argument('[words...]')
      .usage('[options]')
      .helpOption(false)
      .option('-h, --help', 'prints this text')
      .configureHelp({ helpWidth: 160 })
      .configureOutput({ writeErr: () => {} })
      .exitOverride()
  );
}

export function helpText(): string {
  return createParser().helpInformation() + AFTER_OPTIONS;
}

/** An invalid command line. The message names the problem. */
export class UsageError extends Error {}

export interface Options {
  readonly port: number;
  readonly host: string;
  readonly baseUrl: string | undefined;
  readonly scenarios: readonly ScenarioName[];
  readonly file: WorldFile;
  readonly now: Date | undefined;
  readonly rateLimit: 'off' | 'spec';
  readonly trustedProxies: number;
  readonly runsJobs: boolean;
  readonly latencyMs: number;
  readonly seed: number;
  readonly receivers: Readonly<Record<string, string>>;
  readonly allowsRemoteReceivers: boolean;
  readonly controlToken: string | undefined;
  readonly branding: Branding;
  readonly isVerbose: boolean;
}

/**
 * Parses the command line.
 * @param tokenOfEnvironment the control token when `--control-token` is absent
 * @throws UsageError naming the first invalid option
 */
export async function readOptions(
  args: readonly string[],
  tokenOfEnvironment?: string,
): Promise<Options | 'help' | 'version'> {
  const parsed = parseStrictly(createParser(), args);
  const [values, words] = [parsed.opts<Values>(), parsed.args];
  if (values.help === true || words.includes('help')) return 'help';
  if (values.version === true || words.includes('version')) return 'version';
  const [word] = words;
  if (word !== undefined) {
    const meant = COMMANDS.find((command) => distance(word, command) <= 2);
    const suggestion = meant === undefined ? '' : `. Did you mean svc-mock ${meant}?`;
    throw new UsageError(`unexpected argument ${quoteInput(word)}${suggestion}`);
  }
  const allowsRemoteReceivers = values.allowRemoteReceivers === true;
  return {
    port: parseNumber('--port', values.port ?? String(DEFAULT_PORT), { max: 65_535 }),
    host: values.host ?? '127.0.0.1',
    baseUrl: values.baseUrl === undefined ? undefined : parseBaseUrl(values.baseUrl),
    scenarios: (values.scenario ?? []).map(parseScenario),
    file: values.world === undefined ? demoWorld() : await readWorldFile(values.world),
    now: values.now === undefined ? undefined : parseInstant(values.now),
    rateLimit: parseRateLimit(values.rateLimit ?? 'off'),
    trustedProxies: parseNumber('--trust-proxy', values.trustProxy ?? '0', { max: 99 }),
    runsJobs: parseJobs(values.jobs ?? 'on') === 'on',
    latencyMs: parseNumber('--latency', values.latency ?? '0', { max: 600_000 }),
    seed: parseNumber('--seed', values.seed ?? '1', { max: 2 ** 31 - 1 }),
    receivers: Object.fromEntries((values.receiver ?? []).map((text) => parseReceiver(text, allowsRemoteReceivers))),
    allowsRemoteReceivers,
    controlToken: values.controlToken || tokenOfEnvironment || undefined,
    isVerbose: values.verbose === true,
    branding: toBranding({
      headerPrefix: parsePrefix('headerPrefix', '--header-prefix', values.headerPrefix),
      keyPrefix: parsePrefix('keyPrefix', '--key-prefix', values.keyPrefix),
      secretPrefix: parsePrefix('secretPrefix', '--secret-prefix', values.secretPrefix),
    }),
  };
}

/** @throws UsageError */
export function parseStrictly(parser: Command, args: readonly string[]): Command {
  assertValuesGiven(args, parser);
  try {
    return parser.parse(args, { from: 'user' });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message.replace(/^error: /, '') : String(error));
  }
}

/** Commander would take the next option for a missing value. @throws UsageError for a separate value that begins with `-` */
function assertValuesGiven(args: readonly string[], { options }: Command): void {
  const named = args.find(
    (arg, index) =>
      args[index + 1]?.startsWith('-') === true && options.some(({ long, required }) => required && long === arg),
  );
  if (named !== undefined)
    throw new UsageError(`${named} needs a value; write ${named}=VALUE for a value that begins with -`);
}

export function parseNumber(name: string, text: string, { max }: { readonly max: number }): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number <= max) return number;
  throw new UsageError(`${name} must be a whole number from 0 to ${max}, not ${text}`);
}

function parseBaseUrl(typed: string): string {
  const text = completeLoopbackUrl(typed);
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
    const completed = completeUrl(text, isLoopbackUrl);
    throw new UsageError(
      `--base-url must be an http or https URL, ${completed === null ? '' : `such as ${completed}, `}not ${text}`,
    );
  }
  const { search, hash } = new URL(text);
  if (search !== '' || hash !== '') throw new UsageError('--base-url must be a URL without query and fragment');
  return text.replace(/\/+$/, '');
}

const isLoopbackUrl = ({ host }: URL) => isLoopbackHost(host);

/** Adds `http://` to an address of this machine, such as `localhost:4010`. */
export function completeLoopbackUrl(text: string): string {
  const url = completeUrl(text, isLoopbackUrl);
  return url?.startsWith('http://') === true ? url : text;
}

function parseScenario(name: string): ScenarioName {
  if (isScenarioName(name)) return name;
  const [nearest] = SCENARIO_NAMES.toSorted((a, b) => distance(name, a) - distance(name, b));
  const suggestion =
    nearest !== undefined && distance(name, nearest) <= nearest.length / 3 ? ` Did you mean ${nearest}?` : '';
  throw new UsageError(
    `--scenario: unknown scenario ${quoteInput(name)}.${suggestion} Scenarios: ${SCENARIO_NAMES.join(', ')}`,
  );
}

function parseInstant(text: string): Date {
  const ms = parseMoment(text, { nowMs: Date.now() });
  if (ms !== null && ms >= 0 && ms < Date.UTC(10_000, 0)) return new Date(ms);
  throw new UsageError(
    `--now must be a time such as 2026-01-15T12:00:00Z, 2026-01-15 or "2026-01-15 12:00" (UTC without an offset), not ${text}`,
  );
}

function parseRateLimit(text: string): 'off' | 'spec' {
  if (text === 'off' || text === 'spec') return text;
  throw new UsageError(`--rate-limit must be off or spec, not ${text}`);
}

function parseJobs(text: string): 'on' | 'off' {
  if (text === 'on' || text === 'off') return text;
  throw new UsageError(`--jobs must be on or off, not ${text}`);
}

function parsePrefix(kind: keyof Branding, name: string, text: string | undefined): string | undefined {
  if (text === undefined || isPrefix(kind, text)) return text;
  throw new UsageError(`${name} ${BRANDING_RULES[kind]}, not "${text}"`);
}

function parseReceiver(text: string, allowsRemote: boolean): [string, string] {
  const at = text.indexOf('=');
  const [host, url] = [text.slice(0, at), completeLoopbackUrl(text.slice(at + 1))];
  if (at < 1 || !HOST_NAME.test(host))
    throw new UsageError(`--receiver must be HOST=URL, the host without a port, not ${text}`);
  try {
    assertReceiverAllowed(url, allowsRemote);
  } catch (error) {
    throw new UsageError(`--receiver: ${error instanceof Error ? error.message : String(error)}`);
  }
  return [host.toLowerCase(), url];
}

async function readWorldFile(file: string): Promise<WorldFile> {
  // Loaded late: the demo world needs no validation.
  const { parseWorld } = await import('@svc/domain/world/parse');
  try {
    return parseWorld(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new UsageError(`--world: ${file} cannot be used: ${readFailure(error)}`);
  }
}

/** Says why a file was not read. */
export function readFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'ENOENT' ? 'there is no such file' : error.message;
}
