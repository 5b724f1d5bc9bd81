/** Writes to stdout; a reader that has seen enough (`| head`) is no failure. */
export function print(text: string): void {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.stdout.write(text);
}
