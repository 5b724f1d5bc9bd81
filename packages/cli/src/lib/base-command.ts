import { Command } from '@oclif/core/command';
import * as Flags from '@oclif/core/flags';
import type { Input, ParserOutput } from '@oclif/core/interfaces';
import { type Client, createClient } from '@svc/sdk';
import { type CredentialFlags, type Credentials, requireKey, resolveCredentials } from '../services/credentials.ts';
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
    }),
    'max-retries': Flags.integer({
      description: 'Further attempts after the first, where repeating is safe',
      helpGroup: 'GLOBAL',
      helpValue: 'COUNT',
      default: 3,
      min: 0,
    }),
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
      onWait: ({ waitMs }) => this.noteWait(waitMs),
      onRetry: ({ delayMs, reason }) => {
        if (reason.kind === 'status' && reason.status === 429) this.noteWait(delayMs);
      },
    });
  }

  /** A line for the person, on stderr. */
  protected notice(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Commands that show progress put it there instead. */
  protected noteWait(waitMs: number): void {
    // A script that reads errors as JSON finds nothing else on stderr.
    if (waitMs < NOTICED_WAIT_MS || isJsonRequested(this.argv)) return;
    this.notice(`Rate limit reached: waiting ${Math.ceil(waitMs / 1000)} s`);
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
      write: (text) => process.stderr.write(text),
    });
  }
}
