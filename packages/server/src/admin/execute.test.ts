import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DataDirInUseError, lockDataDir } from '@svc/engine/store/database/data-dir-lock';
import { completeMarkOf } from '@svc/engine/store/database/pglite-folder';
import { NoServerError } from './socket/socket-client.ts';
import { runWithDataDirOwner } from './execute.ts';

describe('where a command runs', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(path.join(os.tmpdir(), 'svc-'));
    await writeFile(completeMarkOf(dir), '');
  });
  afterEach(async () => {
    await rm(dir, { recursive: true, force: true });
  });
  const noServer = () => Promise.reject(new NoServerError('ECONNREFUSED'));
  const never = () => Promise.reject(new Error('must not be called'));
  const inUse = () => Promise.reject(new DataDirInUseError('The data directory is in use by process 7.'));

  test('sends the command to a listening server and does not open the database', async () => {
    const asked: string[] = [];
    const callServer = async (socketPath: string) => {
      asked.push(socketPath);
      return { from: 'server' };
    };
    expect(await runWithDataDirOwner(dir, { callServer, runHere: never })).toEqual({ from: 'server' });
    expect(asked).toEqual([path.join(dir, 'admin.sock')]);
  });

  // Only root may change the owner of folders and sockets.
  test.runIf(process.geteuid?.() === 0)(
    "does not connect to another user's socket; root connects to the owner's",
    async () => {
      const callServer = async () => ({ from: 'server' });
      const socket = path.join(dir, 'admin.sock');
      await writeFile(socket, '');
      await chown(socket, 12_345, 12_345);
      await expect(runWithDataDirOwner(dir, { callServer: never, runHere: never })).rejects.toThrow(
        /belongs to user 12345/,
      );
      await chown(dir, 12_345, 12_345);
      expect(await runWithDataDirOwner(dir, { callServer, runHere: never })).toEqual({ from: 'server' });
    },
  );

  test('does not retry in process after the server refused', async () => {
    const callServer = () => Promise.reject(new Error('refused'));
    await expect(runWithDataDirOwner(dir, { callServer, runHere: never })).rejects.toThrow('refused');
  });

  test('runs in process when no server listens, and passes errors on', async () => {
    expect(await runWithDataDirOwner(dir, { callServer: noServer, runHere: async () => ({ from: 'here' }) })).toEqual({
      from: 'here',
    });
    const failing = { callServer: noServer, runHere: () => Promise.reject(new Error('broken')) };
    await expect(runWithDataDirOwner(dir, failing)).rejects.toThrow('broken');
  });

  test('waits for a starting server and then sends it the command', async () => {
    let round = 0;
    const callServer = () => (round > 0 ? Promise.resolve({ from: 'server' }) : noServer());
    const runHere = () => {
      round += 1;
      return inUse();
    };
    expect(await runWithDataDirOwner(dir, { callServer, runHere })).toEqual({ from: 'server' });
    expect(round).toBe(1);
  });

  test('finally names the process that holds the folder without listening', async () => {
    const refused = runWithDataDirOwner(dir, { callServer: noServer, runHere: inUse }, 0);
    await expect(refused).rejects.toMatchObject({
      code: 'server_unavailable',
      message: expect.stringMatching(/in use by process 7\. It does not listen for commands/),
    });
  });

  test('refuses a folder without a database, and waits for one that is being created', async () => {
    await rm(completeMarkOf(dir));
    const nothing = () => runWithDataDirOwner(dir, { callServer: noServer, runHere: never }, 0);
    await expect(nothing()).rejects.toMatchObject({ code: 'no_database' });
    const unlock = await lockDataDir(dir);
    await expect(nothing()).rejects.toMatchObject({
      code: 'server_unavailable',
      message: expect.stringContaining('is being created'),
    });
    await unlock();
  });
});
