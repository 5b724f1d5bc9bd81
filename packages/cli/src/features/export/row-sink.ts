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

/** @param at where in the file; null: where it stands */
export async function writeFully(file: FileHandle, piece: string | Buffer, at: number | null = null): Promise<void> {
  const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
  // One call may write only a part of it.
  for (let offset = 0; offset < bytes.length; ) {
    const place = at === null ? null : at + offset;
    const { bytesWritten } = await file.write(bytes, offset, bytes.length - offset, place);
    offset += bytesWritten;
  }
}
