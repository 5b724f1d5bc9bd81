/** Command-line options of `svc-mock record` and `svc-mock replay`. */
import { Command } from 'commander';
import { completeLoopbackUrl, DEFAULT_PORT, parseNumber, parseStrictly, UsageError } from './options.ts';
import { parseUpstream } from './recording.ts';

interface Listening {
  readonly port: number;
  readonly host: string;
  readonly ignoreQuery: readonly string[];
  readonly isVerbose: boolean;
}

export interface RecordOptions extends Listening {
  readonly upstream: string;
  readonly output: string;
  readonly redactEmails: boolean;
}

export interface ReplayCommandOptions extends Listening {
  readonly file: string;
}

interface Values {
  readonly upstream?: string;
  readonly output?: string;
  readonly redactEmails?: true;
  readonly port?: string;
  readonly host?: string;
  readonly ignoreQuery?: readonly string[];
  readonly verbose?: true;
  readonly help?: true;
}

const AFTER_RECORD = `
Callers send their own keys to the address that is printed, with the paths of the API. The cassette has no keys, signing secrets,
URLs of sources, signed URLs and paths of customers' URLs. Personal data stays, unless --redact-emails replaces email addresses;
names and texts always stay.
Example:
  svc-mock record --upstream https://api.example.com --output cassette.json --ignore-query from,to
`;

const AFTER_REPLAY = `
A request matches by method, path, query in any order and JSON body. Equal requests get their answers in the recorded order, then
the last one again. A request that was not recorded is answered 501 with the nearest recorded one.
POST /__svc/reset starts again with the first answers.
Example:
  svc-mock replay cassette.json --port 0
`;

function createRecordParser(): Command {
  return withCommonOptions(
    new Command('svc-mock record')
      .description('Passes calls on to a real service and records its answers in a cassette, until Ctrl-C.')
      .option('--upstream <URL>', 'base URL of the service, without /api/v1 (required)')
      .option('--output <FILE>', 'cassette to write; an existing one is replaced (required)')
      .option('--redact-emails', 'replaces email addresses by pseudonyms, the same in all cassettes'),
    'query parameters to leave out, separated by commas: they need not match in a replay (for ranges that move: from,to)',
  );
}

function createReplayParser(): Command {
  return withCommonOptions(
    new Command('svc-mock replay')
      .description('Answers calls from a cassette, offline.')
      .usage('FILE [options]')
      .argument('[FILE]', 'cassette to read'),
    'query parameters that need not match, separated by commas, beside those that the recording left out',
  );
}

function withCommonOptions(command: Command, ignoreQuery: string): Command {
  return command
    .option('--ignore-query <NAMES>', ignoreQuery, toNames, NO_NAMES)
    .option('--port <NUMBER>', `port to listen on; 0 chooses a free one (default ${DEFAULT_PORT})`)
    .option('--host <ADDRESS>', 'address to listen on (default 127.0.0.1, this machine only)')
    .option('--verbose', 'writes a line to stderr for each call')
    .helpOption(false)
    .option('-h, --help', 'prints this text')
    .configureHelp({ helpWidth: 160 })
    .configureOutput({ writeErr: () => {} })
    .exitOverride();
}

const NO_NAMES: readonly string[] = [];

function toNames(text: string, before: readonly string[]): readonly string[] {
  return [...before, ...text.split(',').map((name) => name.trim())];
}

/** @returns the help text when it is asked for. @throws UsageError */
export function readRecordOptions(args: readonly string[]): RecordOptions | string {
  const parser = createRecordParser();
  const values = parseStrictly(parser, args).opts<Values>();
  if (values.help === true) return parser.helpInformation() + AFTER_RECORD;
  const { upstream, output, redactEmails = false } = values;
  if (upstream === undefined) throw new UsageError('--upstream is missing: the base URL of the service to record');
  if (output === undefined) throw new UsageError('--output is missing: the cassette to write, such as cassette.json');
  return { ...readListening(values), upstream: checkUpstream(upstream), output, redactEmails };
}

/** @returns the help text when it is asked for. @throws UsageError */
export function readReplayOptions(args: readonly string[]): ReplayCommandOptions | string {
  const parser = createReplayParser();
  const parsed = parseStrictly(parser, args);
  const values = parsed.opts<Values>();
  if (values.help === true) return parser.helpInformation() + AFTER_REPLAY;
  const [file] = parsed.args;
  if (file === undefined) throw new UsageError('The cassette is missing: svc-mock replay FILE');
  return { ...readListening(values), file };
}

function readListening({ port, host, ignoreQuery = [], verbose }: Values): Listening {
  if (ignoreQuery.includes(''))
    throw new UsageError('--ignore-query must be names separated by commas, such as from,to');
  return {
    port: parseNumber('--port', port ?? String(DEFAULT_PORT), { max: 65_535 }),
    host: host ?? '127.0.0.1',
    ignoreQuery,
    isVerbose: verbose === true,
  };
}

function checkUpstream(text: string): string {
  try {
    return parseUpstream(completeLoopbackUrl(text));
  } catch (error) {
    throw new UsageError(`--upstream: ${error instanceof Error ? error.message : String(error)}`);
  }
}
