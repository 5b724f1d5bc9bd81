/** Writes to stdout. A closed pipe (`| head`) is not a failure. */
export function print(text: string): void {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  process.stdout.write(text);
}
