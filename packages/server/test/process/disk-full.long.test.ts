/** The disk of the embedded database is full: a file system of its own, which needs root and Linux. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { leaveOut } from '../../../../scripts/vitest/lacking.ts';
import { runServerCommandHere, startServerProcess } from '../support/processes.ts';

const WORLD = fileURLToPath(new URL('../../../../fixtures/demo-world.json', import.meta.url));
const disk = await mkdtemp(path.join(os.tmpdir(), 'svc-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', disk]).status === 0;
if (!isMounted) {
  leaveOut(
    { what: 'the right to mount', untested: 'a full disk', remedy: 'run the tests as root' },
    { mayLackInCi: true },
  );
}
const cleanUps: (() => unknown)[] = [
  () => rm(disk, { recursive: true, force: true }),
  () => isMounted && execFileSync('umount', [disk]),
];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

const FILLER = path.join(disk, 'filler');

test.skipIf(!isMounted)(
  'the server is not ready once a post could not be stored, and is ready again once there is room',
  async () => {
    const dir = ['--data-dir', path.join(disk, 'data')];
    const loaded = await runServerCommandHere(['world', 'load', WORLD, ...dir], {});
    expect([loaded.code, loaded.stderr]).toEqual([0, '']);
    const server = await startServerProcess(['--port', '0', '--world', ...dir], {});
    cleanUps.push(() => server.stop('SIGKILL'));
    const filler = 'x'.repeat(200_000);
    const post = async (id: number) => {
      const body = JSON.stringify({ event_type: 'EMAIL_SENT', to_email: `${id}@example.org`, stats_id: id, filler });
      return (await fetch(`${server.url}/webhooks/demo-smartlead`, { method: 'POST', body })).status;
    };
    const ready = async () => (await fetch(`${server.url}/health/ready`)).status;
    expect([await post(0), await ready()]).toEqual([200, 200]);

    const { bavail, bsize } = await statfs(disk);
    await writeFile(FILLER, Buffer.alloc(bavail * bsize)).catch(() => {});
    let refused = 0;
    for (let id = 1; id < 500 && refused === 0; id += 1) refused = (await post(id)) === 503 ? id : 0;
    expect(refused).toBeGreaterThan(0);
    expect([await ready(), await ready()]).toEqual([503, 503]);
    await rm(FILLER);
    await expect.poll(ready).toBe(200);
    expect(await post(refused)).toBe(200);
    expect(await server.stop()).toBe(0);
  },
  240_000,
);
