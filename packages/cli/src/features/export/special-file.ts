import { constants, openSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { isatty } from 'node:tty';
import { escapeControls } from '../../terminal/text.ts';
import { type RowSink, writeFully } from './row-sink.ts';
import { ReaderGoneError, guardWrite } from '../../errors/write-error.ts';

/** Devices and pipes are written to in place: a file must never be moved over `/dev/null`. A terminal gets no control characters. */
export async function openSpecialFile(path: string): Promise<RowSink> {
  return (await stat(path)).isFIFO() ? openPipe(path) : openDevice(path);
}

export async function isSpecialFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && !found.isFile() && !found.isDirectory();
}

async function openDevice(path: string): Promise<RowSink> {
  const file = await guardWrite(path, () => open(path, 'w'));
  const isTerminal = isatty(file.fd);
  return {
    isTerminal,
    write: (text) => guardWrite(path, () => writeFully(file, isTerminal ? escapeControls(text) : text)),
    commit: () => guardWrite(path, () => file.close()),
    discard: () => file.close().catch(() => {}),
  };
}

/**
 * A named pipe, or what a shell puts in the place of `>(command)`. Without blocking: a thread that waits for a
 * reader, or for one to read on, cannot be interrupted, and keeps the process from ending.
 */
async function openPipe(path: string): Promise<RowSink> {
  const fd = await guardWrite(path, async () => openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
  const pipe = new Socket({ fd, readable: false, writable: true });
  // Each write is told of its own failure.
  pipe.on('error', () => {});
  const settle = (run: (done: (error?: Error | null) => void) => void) =>
    guardWrite(
      path,
      () =>
        new Promise<void>((resolve, reject) => {
          run((error) => (error ? reject(isReaderGone(error) ? new ReaderGoneError() : error) : resolve()));
        }),
    );
  return {
    isTerminal: false,
    write: (text) => (text === '' ? Promise.resolve() : settle((done) => pipe.write(text, done))),
    commit: () => settle((done) => pipe.end(done)),
    async discard() {
      pipe.destroy();
    },
  };
}

function isReaderGone(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE';
}
