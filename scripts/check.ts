import './pinned-node.ts';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.ts';
import { checkSdkBundle } from './checks/bundle-size.ts';
import { checkCommitSubjects } from './checks/commit-subjects.ts';
import { checkDashboardSize } from './checks/dashboard-size.ts';
import { checkDocstrings } from './checks/docstrings.ts';
import { checkPacked, published } from './checks/packed.ts';
import { root, run, runTsc, tool } from './processes.ts';
import { runSteps, type Step, type StepOutcome, type StepResult } from './steps.ts';

/** Runs all static checks of a built tree, two at a time. */
export async function check(): Promise<StepResult[]> {
  const steps: Step[] = [
    // The long checks come first.
    { name: 'contract lint (redocly)', run: () => packageScript('packages/contract', 'lint:redocly') },
    { name: 'contract lint (spectral)', run: () => packageScript('packages/contract', 'lint:spectral') },
    { name: 'types', run: checkTypes },
    ...globSync('packages/*/tsconfig.pure.json', { cwd: root }).map((file) => ({
      name: `types without Node (${file.split('/')[1]})`,
      run: () => checkTypesOf(file),
    })),
    { name: 'types (dashboard)', run: () => checkTypesOf('packages/dashboard/tsconfig.json') },
    { name: 'lint', run: checkLint },
    { name: 'format', run: checkFormat },
    { name: 'docstrings (sdk)', run: checkDocstrings },
    {
      name: 'unused code and dependencies',
      run: () => outcome(tool('knip'), ['--no-progress', '--treat-config-hints-as-errors']),
    },
    { name: 'generated demo world', run: () => script('fixtures/generate-demo-world.ts', '--check') },
    { name: 'names of the commands', run: () => script('packages/server/scripts/command-names.ts', '--check') },
    { name: 'table of the commands', run: () => script('packages/server/scripts/command-table.ts', '--check') },
    { name: 'catalog of the dashboard', run: () => script('packages/dashboard/scripts/catalog.ts', '--check') },
    { name: 'pages of the commands', run: () => script('packages/dashboard/scripts/page-table.ts', '--check') },
    { name: 'reference of the CLI', run: () => script('packages/cli/scripts/docs.ts', '--check') },
    { name: 'JSON Schemas', run: () => script('packages/server/scripts/json-schemas.ts', '--check') },
    { name: 'sequencers of README.md', run: () => script('packages/sequencers/scripts/readme-table.ts', '--check') },
    { name: 'ready mappings', run: () => script('packages/sequencers/scripts/ready-mappings.ts', '--check') },
    { name: 'tables of docs/operating.md', run: () => script('packages/server/scripts/operating-docs.ts', '--check') },
    { name: 'numbers of docs/scaling.md', run: () => script('bench/scaling-docs.ts', '--check') },
    { name: 'bundle (sdk)', run: checkSdkBundle },
    { name: 'first load (dashboard)', run: async () => checkDashboardSize() },
    { name: 'subjects of the commits', run: () => checkCommitSubjects() },
    ...published.map((name) => ({ name: `tarball (${name})`, run: () => checkPacked(name) })),
  ];
  return runSteps(steps);
}

async function checkTypes(): Promise<StepOutcome> {
  const kept = ['--incremental', '--tsBuildInfoFile', join(root, '.cache', 'types.tsbuildinfo')];
  return runTypes(['-p', 'tsconfig.json', ...kept]);
}

async function checkTypesOf(file: string): Promise<StepOutcome> {
  return runTypes(['-p', file]);
}

async function runTypes(args: readonly string[]): Promise<StepOutcome> {
  return typesOutcome(await runTsc([...args, '--listFiles']));
}

function typesOutcome({ code, output }: { code: number; output: string }): StepOutcome {
  const lines = output.split('\n');
  const files = lines.filter((line) => line.startsWith(root) && !line.includes('node_modules'));
  const others = lines.filter(
    (line) => !/^(\/|[A-Z]:)\S*|^.*node_modules.*\.d\.[cm]?ts$/.test(line) || / error TS/.test(line),
  );
  return scanned(files.length, { ok: code === 0, output: others.join('\n') });
}

async function checkLint(): Promise<StepOutcome> {
  // As for tsc: the garbage collector of its type checker runs more often than this memory needs.
  const { code, output } = await run(tool('oxlint'), [], { env: { GOGC: '400' } });
  return scanned(numberIn(/on (\d+) files?/, output), { ok: code === 0, output });
}

async function checkFormat(): Promise<StepOutcome> {
  const { code, output } = await run(tool('biome'), ['format', '--max-diagnostics=20', '.']);
  return scanned(numberIn(/Checked (\d+) files?/, output), { ok: code === 0, output });
}

/** Runs a script of a package with `node --run`, which takes a tenth of npm's time. */
async function packageScript(folder: string, name: string): Promise<StepOutcome> {
  const { code, output } = await run(process.execPath, ['--run', name], { cwd: join(root, folder) });
  return { ok: code === 0, output };
}

async function script(file: string, ...args: string[]): Promise<StepOutcome> {
  if (!existsSync(join(root, file))) return { ok: false, output: `${file} is missing` };
  return outcome(process.execPath, [join(root, file), ...args]);
}

async function outcome(command: string, args: readonly string[]): Promise<StepOutcome> {
  const { code, output } = await run(command, args);
  return { ok: code === 0, output };
}

/** Fails a check that has scanned no file. */
function scanned(files: number, result: StepOutcome): StepOutcome {
  if (files > 0) return { ...result, note: `${files} files` };
  return { ok: false, output: `${result.output}\nno file was scanned` };
}

function numberIn(pattern: RegExp, text: string): number {
  return Number(pattern.exec(text)?.[1] ?? 0);
}

if (import.meta.main) {
  const isBuilt = await build({ quiet: true });
  const results = isBuilt ? await check() : [{ name: 'build', ok: false }];
  const failed = results.filter((result) => !result.ok).map((result) => result.name);
  process.stdout.write(failed.length === 0 ? `${results.length} checks passed\n` : `failed: ${failed.join(', ')}\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
