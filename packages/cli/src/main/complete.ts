import { complete } from '../features/completion/complete.ts';
import { readManifest } from '../command/manifest.ts';
import { SHELLS } from '../features/completion/scripts.ts';

/** Handles `svc __complete SHELL WORD...`, which the scripts of `svc completion` call. Failures give no completions. */
try {
  const [, , , name, ...words] = process.argv;
  const shell = SHELLS.find((known) => known === name);
  if (shell !== undefined) {
    const lines = await complete(readManifest(new URL('..', import.meta.url)), shell, words);
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  }
} catch {
  // A message would disturb the command line that the user is typing.
}
