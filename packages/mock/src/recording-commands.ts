/** `svc-mock record` and `svc-mock replay`. */
import { readFile } from 'node:fs/promises';
import { DEFAULT_BRANDING } from '@svc/domain/pages/branding';
import { toFileText } from './cassette/cassette.ts';
import { type Cassette, parseCassette } from './cassette/format.ts';
import { readFailure, UsageError } from './options.ts';
import { createRecorderOn, createReplayOn, type RecordingPlatform } from './recording.ts';
import {
  readRecordOptions,
  readReplayOptions,
  type RecordOptions,
  type ReplayCommandOptions,
} from './recording-options.ts';
import type { MockRequest, Outcome } from './service/call.ts';
import { HINT_HEADER } from './service/hints.ts';
import { toLoggedTarget } from './service/secrets.ts';
import { assertWritable, openCassetteFile } from './skins/node/cassette-file.ts';
import { decompress } from './skins/node/decompress.ts';
import { serveCassette, type ServeOptions } from './skins/node/serve-cassette.ts';

/** @throws UsageError; Node's error when the port is in use */
export async function runRecordingCommand(command: 'record' | 'replay', args: readonly string[]): Promise<void> {
  const options = command === 'record' ? readRecordOptions(args) : readReplayOptions(args);
  if (typeof options === 'string') process.stdout.write(options);
  else await ('upstream' in options ? record(options) : replay(options));
}

async function record(options: RecordOptions): Promise<void> {
  const { upstream, output, ignoreQuery, redactEmails, port, host } = options;
  await assertWritable(output, isCassette).catch((error: unknown) => {
    throw new UsageError(`--output: ${messageOf(error)}`);
  });
  let count = 0;
  const recorder = createRecorderOn(platformOf(options.isVerbose), {
    upstream,
    ignoreQuery,
    redactEmails,
    onWarning: (message) => log(`warning: ${message}`),
    onRecorded: () => (count += 1),
    openFile: (cassette) => openCassetteFile(output, () => toFileText(cassette())),
  });
  const { url } = await recorder.listen({ port, host });
  onStop(async () => {
    await recorder.close();
    log(
      count === 0
        ? `Nothing was recorded; ${output} was not written.`
        : `Recorded ${describeAnswers(count)} in ${output}.`,
    );
  });
  process.stdout.write(`svc-mock is ready on ${url}\n`);
  log(`Recording the answers of ${upstream} in ${output}. Call ${url} with your own key; Ctrl-C ends the recording.`);
}

async function replay({ file, ignoreQuery, port, host, isVerbose }: ReplayCommandOptions): Promise<void> {
  const cassette = await readCassette(file);
  const player = createReplayOn(platformOf(isVerbose), { cassette, ignoreQuery });
  const { url } = await player.listen({ port, host });
  onStop(() => player.close());
  process.stdout.write(`svc-mock is ready on ${url}\n`);
  log(`Replaying ${describeAnswers(cassette.interactions.length)} of ${file}. Any key is accepted.`);
}

async function readCassette(file: string): Promise<Cassette> {
  try {
    return parseCassette(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new UsageError(`${file} cannot be replayed: ${readFailure(error)}`);
  }
}

function isCassette(text: string): boolean {
  try {
    parseCassette(JSON.parse(text));
    return true;
  } catch {
    return false;
  }
}

function platformOf(isVerbose: boolean): RecordingPlatform {
  const hints = new Set<string>();
  const onAnswered: ServeOptions['onAnswered'] = (request, outcome, durationMs) => {
    const answer = 'answer' in outcome ? outcome.answer : null;
    const hint = answer?.headers[HINT_HEADER];
    if (hint !== undefined && !hints.has(hint)) log(`hint: ${hint}`);
    if (hint !== undefined) hints.add(hint);
    if (isVerbose) log(describeCall(request, outcome, durationMs));
  };
  return { decompress, listen: (served, options) => serveCassette(served, { ...options, onAnswered }) };
}

function describeCall({ method, target }: MockRequest, outcome: Outcome, durationMs: number): string {
  const status = 'answer' in outcome ? outcome.answer.status : 'no answer';
  return `${method} ${toLoggedTarget(target, DEFAULT_BRANDING)} ${status}, ${Math.round(durationMs)} ms`;
}

function describeAnswers(count: number): string {
  return count === 1 ? '1 answer' : `${count} answers`;
}

function onStop(stop: () => Promise<void>): void {
  const run = () => {
    stop().catch((error: unknown) => {
      log(`svc-mock: ${messageOf(error)}`);
      process.exit(1);
    });
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, run);
}

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
