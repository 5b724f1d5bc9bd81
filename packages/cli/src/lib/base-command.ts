import { Command } from '@oclif/core/command';
import * as Flags from '@oclif/core/flags';
import type { Input, ParserOutput } from '@oclif/core/interfaces';
import { type Client, createClient } from '@svc/sdk';
import { type CredentialFlags, type Credentials, requireKey, resolveCredentials } from '../services/credentials.ts';
import { noteInProgress } from '../output/progress.ts';
import { printNotice, writeStderr } from '../output/stderr.ts';
import { readEnvironment } from './environment.ts';
import { toUsageError } from './oclif-errors.ts';
import { readProfiles } from './profiles.ts';
import { isJsonRequested, reportError } from './report-error.ts';

/** Waits that are over before anybody wonders are not worth a line. */
const NOTICED_WAIT_MS = 2000;

type Values = Record<string, unknown>;

export interface ConnectionFlags extends CredentialFlags {
  /** Seconds. */
  readonly timeout: number;
  readonly 'max-retries': number;
}

export const maxRetriesFlag = (options: { default: number }) =>
  Flags.integer({
    description: 'Further attempts after the first, where repeating is safe',
    helpGroup: 'GLOBAL',
    helpValue: 'COUNT',
    min: 0,
    max: 100,
    ...options,
  });

/**
 * What every command has: the flags for key, address and form of the output, a client, and one way for failures
 * to become exit codes and words. oclif's own `--json` handling is not used: it prints the arguments, which may
 * hold a key, when a flag is wrong.
 */
export abstract class BaseCommand extends Command {
  static override baseFlags = {
    json: Flags.boolean({ description: 'Print JSON; errors become one line of JSON on stderr', helpGroup: 'GLOBAL' }),
    profile: Flags.string({ description: 'Use the key and address of this profile', helpGroup: 'GLOBAL' }),
    'base-url': Flags.string({ description: 'Address of the service', helpGroup: 'GLOBAL', helpValue: 'URL' }),
    timeout: Flags.integer({
      description: 'Give up on an attempt after so many seconds',
      helpGroup: 'GLOBAL',
      helpValue: 'SECONDS',
      default: 30,
      min: 1,
      // Timers count milliseconds in 32 bits.
      max: 2_147_483,
    }),
    'max-retries': maxRetriesFlag({ default: 3 }),
  };

  /** What failures can say about the key and the address. */
  #credentials: Credentials | null = null;

  /** @throws CliError (exit 4) when there is no key */
  protected connect(flags: ConnectionFlags): Client {
    const credentials = this.credentials(flags);
    requireKey(credentials);
    return this.createClient(credentials, flags);
  }

  /** For what needs no key. */
  protected connectWithoutKey(flags: ConnectionFlags): Client {
    return this.createClient({ ...this.credentials(flags), apiKey: null }, flags);
  }

  protected credentials(flags: CredentialFlags): Credentials {
    return resolveCredentials(flags, readEnvironment(), () => readProfiles(this.config.configDir));
  }

  protected createClient(credentials: Credentials, flags: ConnectionFlags): Client {
    this.#credentials = credentials;
    return createClient({
      baseUrl: credentials.baseUrl,
      apiKey: credentials.apiKey ?? undefined,
      timeoutMs: flags.timeout * 1000,
      maxRetries: flags['max-retries'],
      headers: { 'User-Agent': `svc-cli/${this.config.version}` },
      onWait: ({ waitMs }) => this.#noteWait(waitMs),
      onRetry: ({ delayMs, reason }) => {
        if (reason.kind === 'status' && reason.status === 429) this.#noteWait(delayMs);
      },
    });
  }

  /** A line for the person, on stderr. */
  protected notice(text: string): void {
    printNotice(text);
  }

  #noteWait(waitMs: number): void {
    if (waitMs < NOTICED_WAIT_MS) return;
    const seconds = Math.ceil(waitMs / 1000);
    if (noteInProgress(`rate limit: waiting ${seconds} s`)) return;
    // A script that reads errors as JSON finds nothing else on stderr.
    if (!isJsonRequested(this.argv)) this.notice(`Rate limit reached: waiting ${seconds} s`);
  }

  /** Whatever the parser objects to is wrong usage, also where oclif gives it another exit code. */
  protected override async parse<F extends Values, B extends Values, A extends Values>(
    options?: Input<F, B, A>,
    argv?: string[],
  ): Promise<ParserOutput<F, B, A>> {
    try {
      return await super.parse(options, argv);
    } catch (error) {
      throw toUsageError(error, `${this.config.bin} ${this.id?.replaceAll(':', ' ')} --help`);
    }
  }

  protected override async catch(error: unknown): Promise<void> {
    process.exitCode = reportError(error, {
      isJson: isJsonRequested(this.argv),
      credentials: this.#credentials,
      write: writeStderr,
    });
  }
}
