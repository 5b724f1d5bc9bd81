/** The lint rules about imports and purity find violations: each is broken once, in a copy of the configuration. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root, run, tool } from '../processes.ts';

const IMPORT = 'eslint(no-restricted-imports)';
const importOf = (name: string) => `export * from '${name}';\n`;

/** A file that breaks a rule, and the rule: one for each block of `oxlint.config.ts`, because a wrong glob switches its block off. */
const violations: Readonly<Record<string, readonly [rule: string, code: string]>> = {
  'packages/domain/src/errors/clock.ts': ['svc(pure)', 'export const now = () => new Date();\n'],
  'packages/domain/src/errors/upwards.ts': ['svc(layers)', "export type { Page } from '../requests/page.ts';\n"],
  'packages/domain/src/unnamed/folder.ts': ['svc(layers)', 'export const value = 1;\n'],
  'packages/server/src/http/schema.ts': [
    'svc(zod-namespace)',
    "import { z } from 'zod';\nexport const it = z.string();\n",
  ],
  'packages/server/test/path.test.ts': [
    'svc(file-url-path)',
    "export const path = new URL('../x.json', import.meta.url).pathname;\n",
  ],
  'packages/engine/src/queue/kind.ts': ['svc(job-kinds)', "export const kind = 'write-crm';\n"],
  'packages/server/src/inbound/kind.sql.ts': [
    'svc(job-kinds)',
    "export const text = `select from jobs where kind = 'write-crm'`;\n",
  ],
  'packages/engine/src/pipeline/rows.ts': ['svc(sql-home)', "export const text = 'select id from jobs';\n"],
  'packages/engine/src/jobs/fragment.ts': [
    'svc(sql-home)',
    "export const condition = 'source_id in (select id from sources)';\n",
  ],
  'packages/engine/src/webhooks/rows.ts': [
    'svc(sql-home)',
    'export const text = (ended: string) => `with ${ended}, added as (select 1) select`;\n',
  ],
  'packages/operations/src/implemented/rows.ts': [
    'svc(sql-home)',
    "export const text = 'with recursive months (at) as (values (1)) table months';\n",
  ],
  'packages/server/src/http/rows.ts': [
    'svc(sql-home)',
    'export const text = (table: string) => `\n  delete from ${table} where id = $1`;\n',
  ],
  'packages/contract/src/direction.ts': [IMPORT, importOf('@svc/domain')],
  'packages/domain/src/errors/direction.ts': [IMPORT, importOf('@svc/server')],
  'packages/domain/src/errors/node.ts': [IMPORT, importOf('node:fs')],
  'packages/sequencers/src/events/direction.ts': [IMPORT, importOf('node:crypto')],
  'packages/crm/src/direction.ts': [IMPORT, importOf('@svc/server')],
  'packages/crm/src/oauth/upwards.ts': ['svc(layers)', "export { hubspotOauth } from '../hubspot/oauth.ts';\n"],
  'packages/simulators/src/direction.ts': [IMPORT, importOf('@svc/crm')],
  'packages/sdk/src/http/direction.ts': [IMPORT, importOf('node:http')],
  'packages/cli/src/features/direction.ts': [IMPORT, importOf('@svc/domain/requests/page')],
  'packages/server/src/http/direction.ts': [IMPORT, importOf('@svc/mock')],
  'packages/server/src/http/across.ts': [IMPORT, importOf('../../../domain/src/requests/page.ts')],
  'packages/server/test/direction.test.ts': [IMPORT, importOf('@svc/mock')],
  'packages/mock/src/skins/direction.ts': [IMPORT, importOf('@svc/server')],
  'packages/mock/src/state/direction.ts': [IMPORT, importOf('node:fs')],
  'packages/mock/src/service/clock.ts': ['svc(pure)', 'export const now = () => new Date();\n'],
  'packages/mock/src/control/timer.ts': [
    'eslint(no-restricted-globals)',
    'export const wait = () => setTimeout(() => {}, 1);\n',
  ],
  'packages/mock/test/direction.test.ts': [IMPORT, importOf('@svc/server')],
  'packages/conformance/src/suites/direction.ts': [IMPORT, importOf('@svc/server')],
  'packages/domain/src/errors/random.ts': [
    'eslint(no-restricted-properties)',
    'export const it = () => Math.random();\n',
  ],
  'packages/server/src/http/environment.ts': ['node(no-process-env)', 'export const it = process.env.SVC_PORT;\n'],
  'packages/sdk/src/http/circle-a.ts': [
    'import(no-cycle)',
    "export type { B } from './circle-b.ts';\nexport type A = string;\n",
  ],
  'packages/sdk/src/http/circle-b.ts': [
    'import(no-cycle)',
    "export type { A } from './circle-a.ts';\nexport type B = string;\n",
  ],
  'packages/server/src/http/only.test.ts': [
    'vitest(no-focused-tests)',
    "import { expect, test } from 'vitest';\ntest.only('x', () => expect(1).toBe(1));\n",
  ],
};
const allowed: Readonly<Record<string, string>> = {
  'packages/domain/src/errors/time.ts': 'export const at = (value: number) => new Date(value);\n',
  'packages/domain/src/requests/downwards.ts': "export type { Errors } from '../errors/errors.ts';\n",
  'packages/engine/src/pipeline/write-crm.ts': "export const text = 'the job write-crm writes an event';\n",
  'packages/engine/src/pipeline/rows.sql.ts': "export const text = 'select id from jobs';\n",
  'packages/engine/src/queue/rows.ts': "export const text = 'update jobs set is_ready = true';\n",
  'packages/operations/src/store/rows.ts': "export const text = 'delete from jobs';\n",
  'packages/operations/src/implemented/words.ts': 'export const words = (counts: string) => ` with ${counts}.`;\n',
  'packages/server/src/main/words.ts': "export const text = 'select a file, update the server and delete old ones';\n",
  'packages/engine/src/config/config.ts': 'export const it = process.env.DATABASE_URL;\n',
  'packages/mock/src/skins/node/clock.ts': 'export const now = () => new Date();\n',
  'packages/conformance/src/harness/targets/server.ts': importOf('@svc/server'),
};

/** The configuration, and what it imports. */
const files = [
  'oxlint.config.ts',
  ...['plugin.ts', 'layers.ts', 'job-kinds.ts', 'sql-home.ts'].map((name) => `scripts/lint/${name}`),
  'packages/engine/src/jobs/kinds.ts',
  'packages/engine/src/jobs/kinds.sql.ts',
  'package.json',
];

test('each rule finds its violation and nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lint-'));
  try {
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      copyFileSync(join(root, file), join(folder, file));
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const code = {
      ...Object.fromEntries(Object.entries(violations).map(([file, [, text]]) => [file, text])),
      ...allowed,
    };
    for (const [file, text] of Object.entries(code)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }

    const { stdout, output } = await run(tool('oxlint'), ['--format', 'json', 'packages'], { cwd: folder });
    expect(output).toContain('diagnostics');
    const { diagnostics }: { diagnostics: { filename: string; code: string }[] } = JSON.parse(stdout);
    const found = diagnostics.map(({ filename, code: rule }) => `${filename}: ${rule}`);
    const expected = Object.entries(violations).map(([file, [rule]]) => `${file}: ${rule}`);
    expect(found.toSorted()).toEqual(expected.toSorted());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
