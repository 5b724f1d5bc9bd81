/** Writes a cassette's file while it grows. */
import { type Stats, statSync } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setBackgroundTimer } from '../timers.ts';

export interface CassetteFile {
  /** Writes the newest content soon. */
  readonly save: () => void;
  /** Writes the newest content if it is not written yet, or could not be. @throws the error of that write */
  readonly close: () => Promise<void>;
}

/** A write may take this part of the time, so that a large cassette does not slow the recording down. */
const PAUSE_PER_WRITE = 9;

/** @param render returns the content */
export function openCassetteFile(path: string, render: () => string): CassetteFile {
  let isDirty = false;
  let running: Promise<void> | null = null;
  let endPause = () => {};
  let isClosing = false;
  let failure: unknown;
  let version = versionOf(statSync(path, { throwIfNoEntry: false }));

  async function run(): Promise<void> {
    while (isDirty) {
      isDirty = false;
      const startedMs = performance.now();
      await assertUnchanged(path, version);
      version = await replaceFile(path, render());
      failure = undefined;
      if (isClosing) continue;
      const pauseMs = (performance.now() - startedMs) * PAUSE_PER_WRITE;
      await new Promise<void>((resolve) => {
        endPause = resolve;
        setBackgroundTimer(resolve, pauseMs);
      });
    }
  }

  function start(): void {
    running ??= run()
      .catch((error: unknown) => {
        // What is in memory is written with the next save, or at the end.
        isDirty = true;
        failure = error;
      })
      .finally(() => {
        running = null;
      });
  }

  return {
    save() {
      isDirty = true;
      start();
    },
    async close() {
      isClosing = true;
      endPause();
      await running;
      start();
      await running;
      if (failure !== undefined) throw failure;
    },
  };
}

/** Tells a file from one that replaces it. Without the time, which some file systems round later. */
function versionOf(found: Stats | undefined): string | null {
  return found === undefined ? null : `${found.ino} ${found.size}`;
}

/** @throws Error when somebody else has written the file; one that was removed may be written again */
async function assertUnchanged(path: string, version: string | null): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || versionOf(found) === version) return;
  throw new Error(
    `${path} has been changed by another program, such as a second recorder, so it was not replaced. Give each recorder a file of its own.`,
  );
}

/**
 * Replaces the file at once: a reader never sees half of it.
 * @returns its version
 */
async function replaceFile(path: string, text: string): Promise<string | null> {
  const partial = join(dirname(path), `.${basename(path)}.${process.pid}.partial`);
  try {
    await writeFile(partial, text);
    const version = versionOf(await stat(partial));
    await rename(partial, path);
    return version;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/**
 * Checks that a cassette can be written.
 * @param isCassette whether a text is that of a cassette
 * @throws Error that says why not
 */
export async function assertWritable(path: string, isCassette: (text: string) => boolean): Promise<void> {
  const folder = await stat(dirname(path)).catch(() => null);
  if (folder?.isDirectory() !== true) throw new Error(`The folder ${dirname(path)} does not exist.`);
  const found = await stat(path).catch(() => null);
  if (found === null) return;
  if (!found.isFile()) throw new Error(`${path} is not a file.`);
  if (found.size > 0 && !isCassette(await readFile(path, 'utf8'))) {
    throw new Error(`${path} exists and is not a cassette: choose another name.`);
  }
}
