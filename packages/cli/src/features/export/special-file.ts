import { constants, openSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { isatty } from 'node:tty';
import { escapeControls } from '../../terminal/text.ts';
import { type RowSink, writeFully } from './row-sink.ts';
import { ReaderGoneError, guardWrite } from '../../errors/write-error.ts';

/** Opens a device or pipe, which is written in place instead of being replaced. Text for a terminal is escaped. */
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
 * Opens a named pipe, or a pipe from a shell's `>(command)`, in non-blocking mode. A thread that blocks on a pipe could
 * not be interrupted and would keep the process running.
 */
async function openPipe(path: string): Promise<RowSink> {
  const fd = await guardWrite(path, async () => openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
  const pipe = new Socket({ fd, readable: false, writable: true });
  // Errors are reported to the callback of each write.
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
