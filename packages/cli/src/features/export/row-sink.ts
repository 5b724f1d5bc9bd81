import type { FileHandle } from 'node:fs/promises';

/** A destination of rows. */
export interface RowSink {
  /** Whether rows are written to a terminal, so that no progress may be drawn there. */
  readonly isTerminal: boolean;
  /** @throws CliError, ReaderGoneError */
  write(text: string): Promise<void>;
  /** Ends a complete output. */
  commit(): Promise<void>;
  /** Ends an incomplete output. */
  discard(): Promise<void>;
}

/** @param at position in the file; null: the current position */
export async function writeFully(file: FileHandle, piece: string | Buffer, at: number | null = null): Promise<void> {
  const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
  // A single call may write only a part.
  for (let offset = 0; offset < bytes.length; ) {
    const place = at === null ? null : at + offset;
    const { bytesWritten } = await file.write(bytes, offset, bytes.length - offset, place);
    offset += bytesWritten;
  }
}
