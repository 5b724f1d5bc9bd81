import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { published } from './checks/packed.ts';
import { root, run } from './processes.ts';

test('npm makes no package: its entry points would be missing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-npm-pack-'));
  const { code, output } = await run('npm', ['pack', '--pack-destination', folder], {
    cwd: join(root, 'packages', 'sdk'),
  });
  expect([code, readdirSync(folder)]).toEqual([1, []]);
  expect(output).toContain('Pack and publish with pnpm');
  rmSync(folder, { recursive: true });
});

test.each(published)('%s is packed behind that check', (name) => {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
  expect(manifest.scripts.prepack).toBe('node ../../scripts/require-pnpm.mjs');
});
