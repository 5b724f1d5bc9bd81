import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../../../scripts/processes.ts';
import { findLacking } from './programs.ts';
import { UNIT } from './systemd.ts';

const EXPOSURE_MAX = 2;
const UNITS = ['svc-server@api.service', 'svc-server@worker.service'];

describe.skipIf(findLacking('systemd', ['systemd-analyze']))('the systemd unit', () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-systemd-'));
  beforeAll(() => {
    for (const folder of ['etc/systemd/system', 'usr/local/bin', 'lib/systemd'])
      mkdirSync(join(root, folder), { recursive: true });
    // The targets that it names.
    cpSync('/lib/systemd/system', join(root, 'lib/systemd/system'), { recursive: true, verbatimSymlinks: true });
    cpSync(UNIT, join(root, 'etc/systemd/system/svc-server@.service'));
    writeFileSync(join(root, 'usr/local/bin/svc-server'), '#!/bin/sh\n');
    chmodSync(join(root, 'usr/local/bin/svc-server'), 0o755);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test.each(UNITS)('%s is valid', async (unit) => {
    const { code, output } = await run('systemd-analyze', ['verify', `--root=${root}`, unit]);
    expect([code, output]).toEqual([0, '']);
  });

  test.each(UNITS)('%s has an exposure below 2.0', async (unit) => {
    const { stdout } = await run('systemd-analyze', [
      'security',
      '--offline=true',
      '--no-pager',
      `--root=${root}`,
      unit,
    ]);
    const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
    expect(Number(exposure)).toBeLessThan(EXPOSURE_MAX);
  });
});
