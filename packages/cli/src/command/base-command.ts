import * as Flags from '@oclif/core/flags';
import type { Input, ParserOutput } from '@oclif/core/interfaces';
import { type Client, type ClientOptions, createClient } from '@svc/sdk';
import { type CredentialFlags, type Credentials, requireKey, resolveCredentials } from '../config/credentials.ts';
import type { JqFilter } from '../format/jq.ts';
import { showLocalTimes } from '../format/times.ts';
import { createFetch } from './create-fetch.ts';
import { countDown, noteInProgress } from '../terminal/progress.ts';
import { printNote, printNotice, writeStderr } from '../terminal/stderr.ts';
import { filterStdout, writeStdout } from '../terminal/stdout.ts';
import { usageError } from '../errors/cli-error.ts';
import { readEnvironment, readLogLevel } from '../config/environment.ts';
import type { EnvironmentVariable } from '../config/environment-variables.ts';
import type { ExitCode } from '../errors/exit-codes.ts';
import { durationFlag } from './duration.ts';
import { listFlags } from './flags.ts';
import { DEFAULT_RANGE, type LogRange, resolveLogRange } from './log-range.ts';
import { applyParserDefaults, assertValuesGiven, fillSwitches } from './parser.ts';
import { PlainCommand } from './plain-command.ts';
import { readProfiles } from '../config/profiles.ts';
import { isLoopback } from '../config/proxy.ts';
import { type RangeFlags, fillMonth } from './time-range.ts';
import { isJsonRequested, printError } from './print-error.ts';
import {
  DEFAULT_MAX_RETRIES,
  DEFAULT_TIMEOUT_SECONDS,
  MAX_RETRIES,
  readSettings,
  type Settings,
} from '../config/settings.ts';

/** Shorter waits are not reported. */
const NOTICED_WAIT_MS = 2000;

const NO_ANSWER = { network: 'no connection', timeout: 'no answer' } as const;

type Values = Record<string, unknown>;

export interface ConnectionFlags extends CredentialFlags {
  /** Seconds per attempt. */
  readonly timeout: number;
  readonly 'max-retries': number;
}

/** How long the client waits for the rate limit. */
type WaitOptions = Pick<ClientOptions, 'maxRetryAfterMs'>;

export const maxRetriesFlag = (options: { default: number }) =>
  Flags.integer({
    description: 'Retries after the first attempt, where repeating is safe',
    helpGroup: 'GLOBAL',
    helpValue: 'COUNT',
    min: 0,
    max: MAX_RETRIES,
    ...options,
  });

/**
 * Base class of the commands: global flags, API client, and the mapping of failures to exit codes and messages.
 * oclif's own `--json` handling is not used, because it prints the arguments, which may contain a key, if a flag is wrong.
 */
export abstract class BaseCommand extends PlainCommand {
  static override baseFlags = {
    json: Flags.boolean({ description: 'Print JSON; errors become one line of JSON on stderr', helpGroup: 'GLOBAL' }),
    jq: Flags.string({
      description: 'Print the result of this jq expression on the JSON; strings are not quoted',
      helpGroup: 'GLOBAL',
      helpValue: 'EXPRESSION',
    }),
    profile: Flags.string({ description: 'Use the key and address of this profile', helpGroup: 'GLOBAL' }),
    'base-url': Flags.string({
      description: 'Address of the service; http:// may be omitted for this machine',
      helpGroup: 'GLOBAL',
      helpValue: 'URL',
    }),
    timeout: durationFlag({
      description: 'Time limit of one attempt, such as 30s or 2m; a number is in seconds',
      helpGroup: 'GLOBAL',
      helpValue: '30s',
      default: DEFAULT_TIMEOUT_SECONDS,
      min: 1,
    }),
    'max-retries': maxRetriesFlag({ default: DEFAULT_MAX_RETRIES }),
    'local-time': Flags.boolean({
      description: "Show times in this machine's time zone; JSON and CSV keep UTC",
      helpGroup: 'GLOBAL',
      allowNo: true,
    }),
  };

  /** The environment variables that matter most, for the help. */
  static environment: readonly EnvironmentVariable[] = ['SVC_API_KEY', 'SVC_BASE_URL', 'SVC_PROFILE'];

  /** Additional meanings of exit codes, for the help and docs/cli.md. */
  static exitCodes: Readonly<Partial<Record<ExitCode, string>>> = {};

  /** Used in messages about the key and the address. */
  #credentials: Credentials | null = null;
  #jq: JqFilter | null = null;
  #hasNotedNoAnswer = false;

  /** @throws CliError (exit 4) when there is no key */
  protected connect(flags: ConnectionFlags, options?: WaitOptions): Client {
    const credentials = this.credentials(flags);
    this.checkKey(credentials);
    return this.createClient(credentials, flags, options);
  }

  /**
   * Also warns if the key is sent unencrypted over a network.
   *
   * @throws CliError (exit 4) when there is no key
   */
  protected checkKey(credentials: Credentials): void {
    requireKey(credentials);
    const url = new URL(credentials.baseUrl);
    if (url.protocol === 'https:' || isLoopback(url)) return;
    const text = `${credentials.baseUrl} is not https: the API key travels unencrypted.`;
    printNote(text, isJsonRequested(this.argv));
  }

  /** Creates a client that sends no key. */
  protected connectWithoutKey(flags: ConnectionFlags): Client {
    return this.createClient({ ...this.credentials(flags), apiKey: null }, flags);
  }

  protected credentials(flags: CredentialFlags): Credentials {
    const { configDir } = this.config;
    return resolveCredentials(flags, readEnvironment(), () => readProfiles(configDir), this.settings());
  }

  /** Returns the user's defaults. */
  protected settings(): Settings {
    return readSettings(this.config.configDir);
  }

  /**
   * Resolves the range of a list or count. Explicit flags win over the default range of the profile or `svc config`.
   *
   * @param builtIn the default of the command if none is configured; null if the command needs a range
   * @throws CliError (exit 2)
   */
  protected logRange(
    flags: CredentialFlags & RangeFlags & { readonly all?: boolean },
    builtIn: string | null = DEFAULT_RANGE,
  ): LogRange {
    return resolveLogRange(flags, Date.now(), this.credentials(flags).range ?? builtIn);
  }

  /** Returns the time limit of one attempt in seconds, for commands whose `--timeout` limits the whole wait. */
  protected attemptSeconds(): number {
    return this.settings().timeout ?? DEFAULT_TIMEOUT_SECONDS;
  }

  protected createClient(credentials: Credentials, flags: ConnectionFlags, options: WaitOptions = {}): Client {
    this.#credentials = credentials;
    return createClient({
      ...options,
      baseUrl: credentials.baseUrl,
      apiKey: credentials.apiKey,
      timeoutMs: flags.timeout * 1000,
      maxRetries: flags['max-retries'],
      headerPrefix: credentials.headerPrefix,
      logLevel: readLogLevel(),
      fetch: createFetch(credentials.baseUrl),
      headers: { 'User-Agent': `svc-cli/${this.config.version}` },
      onWait: ({ waitMs }) => this.#noteWait(waitMs),
      onRetry: ({ delayMs, reason }) => {
        if (reason.kind !== 'status') this.#noteNoAnswer(delayMs, NO_ANSWER[reason.kind], credentials.baseUrl);
        else if (reason.status === 429) this.#noteWait(delayMs);
        else if (delayMs >= NOTICED_WAIT_MS) this.#noteRetry(delayMs, `HTTP ${reason.status}`);
      },
    });
  }

  /** Prints a line on stderr. */
  protected notice(text: string): void {
    printNotice(text);
  }

  #noteWait(waitMs: number): void {
    if (waitMs < NOTICED_WAIT_MS) return;
    if (noteInProgress({ label: 'rate limit: waiting', waitMs, isRateLimit: true })) return;
    if (isJsonRequested(this.argv)) return;
    if (countDown(process.stderr, { label: 'Rate limit: waiting', waitMs, isRateLimit: true })) return;
    this.notice(`Rate limit reached: waiting ${Math.ceil(waitMs / 1000)} s`);
  }

  /** Shows a wait before a retry, on terminals only. Returns false elsewhere. */
  #noteRetry(waitMs: number, reason: string): boolean {
    const wait = { label: `${reason}: retrying in`, waitMs, isRateLimit: false };
    return noteInProgress(wait) || isJsonRequested(this.argv) || countDown(process.stderr, wait);
  }

  /** Says that a service which does not answer is tried again, also before a short wait: the command would seem to hang. */
  #noteNoAnswer(waitMs: number, reason: string, baseUrl: string): void {
    if (this.#noteRetry(waitMs, reason) || this.#hasNotedNoAnswer) return;
    this.#hasNotedNoAnswer = true;
    this.notice(`${baseUrl}: ${reason}, trying again`);
  }

  /** Parses arguments and flags. Every parser error is a usage error (exit 2), whatever exit code oclif gives it. */
  protected override async parse<F extends Values, B extends Values, A extends Values>(
    options?: Input<F, B, A>,
    argv?: string[],
  ): Promise<ParserOutput<F, B, A>> {
    const output = await this.#parseArguments(options, argv);
    const allFlags = { ...this.ctor.baseFlags, ...this.ctor.flags };
    assertValuesGiven(output, argv ?? this.argv, allFlags);
    fillMonth(output.flags, Date.now());
    fillSwitches(output.flags, allFlags);
    const isDefault = (name: string) => output.metadata.flags[name]?.setFromDefault === true;
    // `flags` is undefined for commands without own flags, despite its type.
    const own: Readonly<Record<string, unknown>> | undefined = this.ctor.flags;
    applySettings(output.flags, this.settings(), own ?? {}, isDefault);
    showLocalTimes(Boolean(output.flags['local-time'] ?? this.settings()['local-time']));
    await this.#applyJq(output.flags);
    return output;
  }

  async #parseArguments<F extends Values, B extends Values, A extends Values>(
    options?: Input<F, B, A>,
    argv?: string[],
  ): Promise<ParserOutput<F, B, A>> {
    const { args, baseFlags, flags } = this.ctor;
    const allFlags = { ...baseFlags, ...flags };
    applyParserDefaults(args, allFlags);
    try {
      return await super.parse(options, argv);
    } catch (error) {
      const { toUsageError } = await import('./parser-errors.ts');
      const { bin } = this.config;
      const examples = (this.ctor.examples ?? []).map((each) => (typeof each === 'string' ? each : each.command));
      throw toUsageError(error, {
        name: `${bin} ${this.id?.replaceAll(':', ' ')}`,
        args,
        flags: allFlags,
        examples: examples.map((each) => each.replaceAll('<%= config.bin %>', bin)),
        argv: argv ?? this.argv,
      });
    }
  }

  /** Filters stdout through `--jq`, which implies `--json` unless the format is NDJSON. */
  async #applyJq(flags: Values): Promise<void> {
    if (typeof flags.jq !== 'string') return;
    if (flags.format === 'csv' || flags.format === 'table' || flags.format === 'tsv')
      throw usageError(`Use either --jq or --format ${flags.format}, not both`, '--jq works on JSON.');
    if (flags.format !== 'ndjson') flags.json = true;
    const { createJqFilter } = await import('../format/jq.ts');
    const filter = await createJqFilter(flags.jq);
    this.#jq = filter;
    filterStdout((piece) => filter.push(piece));
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    filterStdout(null);
    const rest = await this.#jq?.end();
    if (rest) await writeStdout(rest);
    return super.finally(error);
  }

  protected override async catch(error: unknown): Promise<void> {
    process.exitCode = printError(error, {
      isJson: isJsonRequested(this.argv),
      credentials: this.#credentials,
      write: writeStderr,
    });
  }
}

/** Replaces built-in defaults by the user's defaults, except where a command has its own default. */
function applySettings(
  flags: Values,
  settings: Settings,
  own: Readonly<Record<string, unknown>>,
  isDefault: (name: string) => boolean,
): void {
  for (const name of ['timeout', 'max-retries'] as const) {
    if (settings[name] !== undefined && isDefault(name) && !(name in own)) flags[name] = settings[name];
  }
  const isListFormat = own.format === listFlags.format;
  if (isListFormat && flags.format === undefined && flags.json !== true && flags.jq === undefined)
    flags.format = settings.format;
}
