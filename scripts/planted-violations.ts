import './pinned-node.ts';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root, run, tool } from './processes.ts';

/**
 * Proves that the rules about import directions and purity bite: breaks each one in a file of its own and asks the linter and
 * the compiler, with the repository's own configuration, whether they notice. The files live in a temporary folder laid out
 * like the repository, so that nothing in the tree is touched.
 *
 * `rule: null` is the counter-proof: code that is allowed and must stay so.
 */
type Planted = { readonly file: string; readonly code: string; readonly rule: string | null };

const restricted = 'eslint(no-restricted-imports)';
const property = 'eslint(no-restricted-properties)';
const global = 'eslint(no-restricted-globals)';
const pure = 'svc(pure)';

const importOf = (name: string) => `import * as it from '${name}';\nexport const planted = it;\n`;
const imports = (folder: string, rule: string | null, ...names: string[]): Planted[] =>
  names.map((name, index) => ({
    file: `${folder}/planted-${rule === null ? 'ok' : 'bad'}-${index}.ts`,
    code: importOf(name),
    rule,
  }));

const inEach = (folders: readonly string[], file: string, rule: string, code: string): Planted[] =>
  folders.map((folder) => ({ file: `packages/${folder}/src/${file}.ts`, code, rule }));

const purePackages = ['contract', 'domain'];
const everyPackage = ['contract', 'domain', 'sequencers', 'sdk', 'cli', 'server', 'mock'];

const planted: readonly Planted[] = [
  // Directions.
  ...imports('packages/contract/src', restricted, '@svc/domain', '@svc/sdk', '@svc/cli', '@svc/server', '@svc/mock'),
  ...imports('packages/contract/src/schemas', restricted, 'node:fs', 'fs', 'express', '@svc/fixtures/demo-world.json'),
  ...imports('packages/contract/src', null, 'zod', './limits.ts', '../src/limits.ts'),
  ...imports(
    'packages/domain/src',
    restricted,
    '@svc/sdk',
    '@svc/cli',
    '@svc/server',
    '@svc/mock',
    '@svc/fixtures/x.json',
    '@svc/sequencers',
  ),
  ...imports('packages/domain/src/world', restricted, 'node:crypto', 'crypto', 'pg', 'kysely'),
  ...imports('packages/domain/src', null, '@svc/contract', '@svc/contract/vocabulary', 'zod/mini', './page.ts'),
  ...imports(
    'packages/sequencers/src',
    restricted,
    'node:crypto',
    '@svc/server',
    '@svc/mock',
    '@svc/fixtures/x.json',
    'zod',
  ),
  ...imports('packages/sequencers/src', null, '@svc/contract', '@svc/domain/profile-url', '@noble/hashes/sha2.js'),
  ...imports('packages/sdk/src', restricted, '@svc/cli', '@svc/server', '@svc/mock', '@svc/fixtures/x.json', 'undici'),
  ...imports('packages/sdk/src/resources', restricted, 'node:crypto', 'node:http', 'crypto'),
  ...imports('packages/sdk/src', null, '@svc/contract/types', '@svc/domain/webhook-signature', 'openapi-fetch'),
  ...imports('packages/conformance/src', restricted, '@svc/server', '@svc/mock'),
  ...imports('packages/conformance/src/targets', null, '@svc/server', '@svc/contract/strict'),
  ...imports(
    'packages/cli/src',
    restricted,
    '@svc/domain',
    '@svc/server',
    '@svc/mock',
    '@svc/contract',
    '@svc/contract/operations',
  ),
  ...imports(
    'packages/cli/src/commands/syncs',
    restricted,
    '@svc/server/main',
    '@svc/domain/page',
    '@svc/contract/schemas',
  ),
  ...imports('packages/cli/src', null, '@svc/sdk', '@svc/contract/vocabulary', '@svc/contract/limits', 'node:fs'),
  ...imports('packages/server/src', restricted, '@svc/mock', '@svc/sdk', '@svc/cli', '@svc/mock/node'),
  ...imports('packages/server/src/routes', restricted, '@svc/mock', '@svc/conformance'),
  ...imports('packages/server/test', restricted, '@svc/mock'),
  ...imports(
    'packages/server/src',
    null,
    '@svc/contract',
    '@svc/domain/page',
    '@svc/fixtures/demo-world.json',
    'express',
  ),
  ...imports('packages/mock/src', restricted, '@svc/server', '@svc/sdk', '@svc/cli', '@svc/server/main', 'msw'),
  { file: 'packages/mock/src/planted-types.ts', code: "export type { RequestHandler } from 'msw';\n", rule: null },
  ...imports('packages/mock/test', restricted, '@svc/server'),
  ...imports('packages/mock/src', null, '@svc/contract', '@svc/domain/page', '@msw/data'),
  ...imports('packages/mock/src/core', restricted, 'node:fs', 'crypto', 'msw', '@svc/server', '@svc/fixtures/x.json'),
  ...imports('packages/mock/src/handlers', restricted, 'node:http', '@svc/sdk'),
  ...imports('packages/mock/src/jobs', restricted, 'node:timers'),
  ...imports('packages/mock/src/core', null, '@svc/contract', '@svc/domain/page', './world.ts'),
  ...everyPackage.map((name) => ({
    file: `packages/${name}/src/planted-across.ts`,
    code: importOf(`../../${name === 'domain' ? 'sdk' : 'domain'}/src/page.ts`),
    rule: restricted,
  })),
  { file: 'packages/domain/src/planted-re-export.ts', code: "export * from '@svc/server';\n", rule: restricted },
  {
    file: 'packages/domain/src/planted-import-call.ts',
    code: "export const it = import('@svc/server');\n",
    rule: pure,
  },
  {
    file: 'packages/cli/src/planted-type.ts',
    code: "import type { Sync } from '@svc/contract';\nexport type Planted = Sync;\n",
    rule: null,
  },
  // Tests beside the code may use Node.
  { file: 'packages/domain/src/planted.test.ts', code: importOf('node:fs'), rule: null },

  // Purity.
  ...inEach(purePackages, 'planted-date-now', property, 'export const now = () => Date.now();\n'),
  ...inEach(purePackages, 'planted-new-date', pure, 'export const now = () => new Date();\n'),
  ...inEach(purePackages, 'planted-date-call', pure, 'export const now = () => Date();\n'),
  ...inEach(purePackages, 'planted-performance', property, 'export const now = () => performance.now();\n'),
  ...inEach(purePackages, 'planted-random', property, 'export const chance = () => Math.random();\n'),
  ...inEach(purePackages, 'planted-uuid', property, 'export const id = () => crypto.randomUUID();\n'),
  ...inEach(purePackages, 'planted-fetch', global, "export const it = () => fetch('http://127.0.0.1/');\n"),
  ...inEach(purePackages, 'planted-timeout', global, 'export const it = (f: () => void) => setTimeout(f, 1);\n'),
  ...inEach(purePackages, 'planted-interval', global, 'export const it = (f: () => void) => setInterval(f, 1);\n'),
  ...inEach([...purePackages, 'sdk'], 'planted-process', global, 'export const it = () => process.argv;\n'),
  ...inEach([...purePackages, 'sdk'], 'planted-buffer', global, "export const it = () => Buffer.from('x');\n"),
  ...inEach(
    [...purePackages, 'sdk'],
    'planted-console',
    'eslint(no-console)',
    "export const it = () => console.log('x');\n",
  ),
  ...inEach(['mock'], 'core/planted-new-date', pure, 'export const now = () => new Date();\n'),
  ...inEach(['mock'], 'core/planted-date-now', property, 'export const now = () => Date.now();\n'),
  ...inEach(['mock'], 'handlers/planted-random', property, 'export const chance = () => Math.random();\n'),
  ...inEach(['mock'], 'jobs/planted-timeout', global, 'export const it = (f: () => void) => setTimeout(f, 1);\n'),
  ...inEach(['mock'], 'db/planted-buffer', global, "export const it = () => Buffer.from('x');\n"),
  { file: 'packages/mock/src/planted-skin.ts', code: 'export const now = () => new Date();\n', rule: null },
  {
    file: 'packages/domain/src/planted-date-of.ts',
    code: 'export const at = (ms: number) => new Date(ms).toISOString() + String(Date.UTC(2026, 0));\n',
    rule: null,
  },

  // The house.
  ...inEach(
    everyPackage,
    'planted-environment',
    'node(no-process-env)',
    'export const it = process.env.SVC_API_KEY;\n',
  ),
  { file: 'packages/server/src/config.ts', code: 'export const it = process.env.DATABASE_URL;\n', rule: null },
  { file: 'packages/cli/src/lib/profiles.ts', code: 'export const it = process.env.SVC_PROFILE;\n', rule: null },
  { file: 'packages/cli/src/lib/environment.ts', code: 'export const it = process.env.SVC_API_KEY;\n', rule: null },
  ...inEach(
    everyPackage,
    'planted-zod',
    'svc(zod-namespace)',
    "import { z } from 'zod';\nexport const it = z.string();\n",
  ),
  ...inEach(everyPackage, 'planted-any', 'typescript(no-explicit-any)', 'export const it = (x: any): unknown => x;\n'),
  ...inEach(
    everyPackage,
    'planted-non-null',
    'typescript(no-non-null-assertion)',
    'export const it = (x?: string) => x!;\n',
  ),
  ...inEach(
    everyPackage,
    'planted-floating',
    'typescript(no-floating-promises)',
    'export function it(work: () => Promise<void>): void {\n  work();\n}\n',
  ),
  ...inEach(
    ['server'],
    'planted-misused',
    'typescript(no-misused-promises)',
    'export const it = (xs: string[], work: (x: string) => Promise<void>) => xs.forEach(async (x) => work(x));\n',
  ),
  ...inEach(
    everyPackage,
    'planted-switch',
    'typescript(switch-exhaustiveness-check)',
    "export function it(x: 'a' | 'b'): void {\n  switch (x) {\n    case 'a':\n      break;\n  }\n}\n",
  ),
  {
    file: 'packages/sdk/src/planted-cycle-a.ts',
    code: "import { b } from './planted-cycle-b.ts';\nexport const a = () => b();\n",
    rule: 'import(no-cycle)',
  },
  {
    file: 'packages/sdk/src/planted-cycle-b.ts',
    code: "import { a } from './planted-cycle-a.ts';\nexport const b = () => a();\n",
    rule: 'import(no-cycle)',
  },
  {
    file: 'packages/server/test/planted-path.test.ts',
    code: "export const path = new URL('../x.json', import.meta.url).pathname;\n",
    rule: 'svc(file-url-path)',
  },
  {
    file: 'packages/server/test/planted-route.test.ts',
    code: "export const route = (url: string) => new URL(url, 'http://localhost').pathname;\n",
    rule: null,
  },
  {
    file: 'packages/server/src/planted-only.test.ts',
    code: "import { expect, test } from 'vitest';\ntest.only('x', () => expect(1).toBe(1));\n",
    rule: 'vitest(no-focused-tests)',
  },
  {
    file: 'packages/server/src/planted-skip.test.ts',
    code: "import { expect, test } from 'vitest';\ntest.skip('x', () => expect(1).toBe(1));\n",
    rule: 'vitest(no-disabled-tests)',
  },
];

/** What must not compile in the packages that run everywhere, whose tsconfig.pure.json knows nothing of Node. */
const uncompilable = [
  "import { readFileSync } from 'node:fs';\nexport const it = readFileSync;\n",
  "export const it = Buffer.from('x');\n",
  'export const it = process.argv;\n',
];
const compilable = 'export const texts = [1, 2].map(String);\n';
const purelyCompiled = ['contract', 'domain', 'sequencers', 'sdk'];

const folder = mkdtempSync(join(tmpdir(), 'svc-planted-'));
try {
  copyConfiguration();
  const problems = [...(await lintProblems()), ...(await compileProblems())];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  const count = planted.length + purelyCompiled.length * uncompilable.length;
  process.stdout.write(`${count} planted, ${problems.length} not judged as expected\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function copyConfiguration(): void {
  const files = [
    'oxlint.config.ts',
    'scripts/lint/plugin.ts',
    'package.json',
    'tsconfig.base.json',
    'tsconfig.json',
    ...purelyCompiled.flatMap((name) => [`packages/${name}/tsconfig.pure.json`, `packages/${name}/tsconfig.json`]),
  ].filter((file) => existsSync(join(root, file)));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}

function write(file: string, code: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), code);
}

async function lintProblems(): Promise<string[]> {
  const files = new Set(planted.map((one) => one.file));
  if (files.size !== planted.length) return ['two planted violations have the same file name'];
  for (const { file, code } of planted) write(file, code);
  const result = await run(tool('oxlint'), ['--format', 'json', 'packages'], { cwd: folder });
  const found = parseFindings(result.stdout);
  if (found === null) return [`the linter gave no answer:\n${result.output}`];

  return planted.flatMap(({ file, rule }) => {
    const rules = found.filter((finding) => finding.filename === file).map((finding) => finding.code);
    if (rule === null) return rules.length === 0 ? [] : [`${file}: allowed, but refused by ${rules.join(', ')}`];
    return rules.includes(rule) ? [] : [`${file}: ${rule} did not bite (found: ${rules.join(', ') || 'nothing'})`];
  });
}

type Finding = { readonly filename: string; readonly code: string };

function parseFindings(text: string): Finding[] | null {
  try {
    const report: { diagnostics: Finding[] } = JSON.parse(text);
    return report.diagnostics;
  } catch {
    return null;
  }
}

async function compileProblems(): Promise<string[]> {
  const problems: string[] = [];
  for (const name of purelyCompiled) {
    const source = join(folder, 'packages', name, 'src');
    rmSync(source, { recursive: true, force: true });
    uncompilable.forEach((code, index) => write(`packages/${name}/src/planted-${index}.ts`, code));
    write(`packages/${name}/src/planted-ok.ts`, compilable);
    const result = await run(tool('tsc'), ['-p', `packages/${name}/tsconfig.pure.json`], { cwd: folder });
    uncompilable.forEach((code, index) => {
      if (result.code !== 0 && result.output.includes(`planted-${index}.ts`)) return;
      problems.push(`packages/${name}/tsconfig.pure.json lets this compile: ${code.split('\n')[0]}\n${result.output}`);
    });
    // Nothing but the planted files may be wrong, or the errors above could come from a broken configuration.
    const others = result.output.split('\n').filter((line) => / error TS/.test(line) && !/planted-\d/.test(line));
    if (others.length > 0) problems.push(`packages/${name}/tsconfig.pure.json: ${others.join('\n')}`);
  }
  return problems;
}
