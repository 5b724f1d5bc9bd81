import { complete } from '../features/completion/complete.ts';
import { readManifest } from '../features/completion/manifest.ts';
import { SHELLS } from '../features/completion/scripts.ts';
import { installLightFetch } from '../web/install.ts';

installLightFetch();

/** `svc __complete SHELL WORD...`: for the scripts of `svc completion`. Whatever goes wrong, there is nothing to complete. */
try {
  const [, , , name, ...words] = process.argv;
  const shell = SHELLS.find((known) => known === name);
  if (shell !== undefined) {
    const lines = await complete(readManifest(new URL('..', import.meta.url)), shell, words);
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  }
} catch {
  // A message in the middle of a command line that is being typed would help nobody.
}
