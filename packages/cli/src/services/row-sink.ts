import type { FileHandle } from 'node:fs/promises';

/** Somewhere rows go. */
export interface RowSink {
  /** Rows are seen where they are written: nothing else is drawn there. */
  readonly isTerminal: boolean;
  /** @throws CliError, ReaderGoneError */
  write(text: string): Promise<void>;
  /** All was written. */
  commit(): Promise<void>;
  /** It came to nothing. */
  discard(): Promise<void>;
}

/** Whoever reads the rows has enough of them: the end of an export, not a failure. */
export class ReaderGoneError extends Error {
  override readonly name = 'ReaderGoneError';
}

export async function writeFully(file: FileHandle, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  // One call may write only a part of it.
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, offset);
    offset += bytesWritten;
  }
}
