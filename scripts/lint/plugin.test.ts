/** The rules of our own lint plugin find what they are for: each one is broken once, in a copy of the configuration. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root, run, tool } from '../processes.ts';

const violations = {
  'packages/domain/src/errors/clock.ts': ['svc(pure)', 'export const now = () => new Date();\n'],
  'packages/domain/src/errors/upwards.ts': ['svc(layers)', "export type { Page } from '../requests/page.ts';\n"],
  'packages/domain/src/unnamed/folder.ts': ['svc(layers)', 'export const value = 1;\n'],
  'packages/domain/src/errors/server.ts': ['eslint(no-restricted-imports)', "export * from '@svc/server';\n"],
  'packages/server/src/http/schema.ts': [
    'svc(zod-namespace)',
    "import { z } from 'zod';\nexport const it = z.string();\n",
  ],
  'packages/server/test/path.test.ts': [
    'svc(file-url-path)',
    "export const path = new URL('../x.json', import.meta.url).pathname;\n",
  ],
} as const;
const allowed = {
  'packages/domain/src/errors/time.ts': 'export const at = (value: number) => new Date(value);\n',
  'packages/domain/src/requests/downwards.ts': "export type { Errors } from '../errors/errors.ts';\n",
};

test('each rule of the plugin finds its violation and nothing else', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lint-'));
  try {
    for (const file of ['oxlint.config.ts', 'scripts/lint/plugin.ts', 'scripts/lint/layers.ts', 'package.json']) {
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
    const found = Object.fromEntries(diagnostics.map(({ filename, code: rule }) => [filename, rule]));
    expect(found).toEqual(Object.fromEntries(Object.entries(violations).map(([file, [rule]]) => [file, rule])));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
