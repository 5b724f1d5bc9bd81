/**
 * Breaks the server in many small ways, one at a time, and asks the suite whether it notices:
 * `node packages/conformance/mutations/run.ts [part of an id ...]`. It is part of `npm run test:long`.
 *
 * It works in copies of the tree, on the embedded database alone. The cases must be green before anything is changed. Fails
 * when a mutation survives, when it leaves no program to judge, and when what it changes is not there any more.
 */
import '../../../scripts/pinned-node.ts';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../scripts/processes.ts';
import { MUTATIONS } from './list.ts';
import { mutate, type Mutation } from './mutation.ts';
import { judge, judgeBaseline, type SuiteReport, type Verdict } from './verdict.ts';
import { copyWorkspace } from './workspace-copy.ts';

/** Fewer, and most of the list was not looked at. */
const FEWEST = 30;
const AT_ONCE = Math.min(2, availableParallelism());
/** A mutation may make the server wait for ever. */
const RUN_LIMIT_MS = 180_000;
const BASELINE_LIMIT_MS = 15 * 60_000;

const folder = mkdtempSync(join(tmpdir(), 'svc-mutations-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const interrupted = new AbortController();
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.once(signal, () => {
    interrupted.abort();
    process.exit(128 + number);
  });
}

const parts = process.argv.slice(2);
const chosen = MUTATIONS.filter(({ id }) => parts.length === 0 || parts.some((part) => id.includes(part)));
process.exitCode = (await main(chosen)) ? 0 : 1;

async function main(mutations: readonly Mutation[]): Promise<boolean> {
  // All of them first: a list that has fallen behind the code is to be known before the long part.
  for (const mutation of mutations) mutate(readFileSync(join(root, mutation.file), 'utf8'), mutation);
  const copies = Array.from({ length: AT_ONCE }, (_, index) => join(folder, `copy-${index}`));
  for (const copy of copies) await copyWorkspace(copy);

  const [first = folder] = copies;
  const startedMs = performance.now();
  const baseline = await tryNothing(first, mutations);
  print(baseline.ok ? 'green' : 'NOT GREEN', 'unchanged', secondsSince(startedMs), baseline.note);
  if (!baseline.ok) return false;

  const waiting = [...mutations];
  const verdicts: Verdict[] = [];
  const work = async (copy: string): Promise<void> => {
    for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
      verdicts.push(await tryMutation(copy, mutation));
    }
  };
  await Promise.all(copies.map(work));

  const killed = verdicts.filter(({ result }) => result === 'killed').length;
  process.stdout.write(`${killed} of ${verdicts.length} mutations were noticed\n`);
  if (parts.length === 0 && verdicts.length < FEWEST) {
    process.stdout.write(`Only ${verdicts.length} ran, and there should be ${FEWEST}\n`);
    return false;
  }
  return verdicts.length > 0 && killed === verdicts.length;
}

/** Every case that is asked about a mutation, with none. */
async function tryNothing(copy: string, mutations: readonly Mutation[]): Promise<ReturnType<typeof judgeBaseline>> {
  const suites = [...new Set(mutations.flatMap((mutation) => mutation.suites))];
  const only = [...new Set(mutations.map((mutation) => `(?:${mutation.only})`))].join('|');
  const args = [`--maxWorkers=${AT_ONCE}`, '-t', only];
  return judgeBaseline(await runSuites(copy, suites, args, BASELINE_LIMIT_MS));
}

async function tryMutation(copy: string, mutation: Mutation): Promise<Verdict> {
  const file = join(copy, mutation.file);
  const original = readFileSync(file, 'utf8');
  const startedMs = performance.now();
  writeFileSync(file, mutate(original, mutation));
  try {
    const verdict = judge(await runSuites(copy, mutation.suites, ['--bail=1', '-t', mutation.only], RUN_LIMIT_MS));
    const word = verdict.result === 'killed' ? 'killed' : verdict.result.toUpperCase();
    const note = verdict.result === 'killed' ? verdict.note : `${mutation.breaks} (${mutation.file}): ${verdict.note}`;
    print(word, mutation.id, secondsSince(startedMs), note);
    return verdict;
  } finally {
    writeFileSync(file, original);
  }
}

/** The report of a run in this copy; null when it came to no end. */
async function runSuites(
  copy: string,
  suites: readonly string[],
  args: readonly string[],
  limitMs: number,
): Promise<SuiteReport | null> {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const config = join(copy, 'packages', 'conformance', 'mutations', 'vitest.config.ts');
  const files = suites.map((suite) => `packages/conformance/src/${suite}`);
  const reporters = ['--reporter=json', `--outputFile.json=${report}`];
  const runner = join(copy, 'node_modules', 'vitest', 'vitest.mjs');
  await runNode(copy, [runner, 'run', `--config=${config}`, ...reporters, ...args, ...files], limitMs);
  return existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : null;
}

/** Its exit code does not matter: the report says more. */
function runNode(cwd: string, args: readonly string[], limitMs: number): Promise<void> {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: {
        ...process.env,
        SVC_CONFORMANCE_TARGETS: 'server-pglite',
        // Every run loads the test runner again.
        NODE_COMPILE_CACHE: join(root, '.cache', 'mutation', 'compiled'),
      },
      stdio: 'ignore',
      signal: interrupted.signal,
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
    child.once('error', () => done());
    child.once('close', () => done());
  });
}

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1_000;
}

function print(word: string, what: string, seconds: number, note: string): void {
  const width = Math.max(...MUTATIONS.map(({ id }) => id.length));
  process.stdout.write(`${word.padEnd(9)} ${what.padEnd(width)} ${seconds.toFixed(1).padStart(6)} s  ${note}\n`);
}
