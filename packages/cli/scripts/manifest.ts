/** Writes `oclif.manifest.json`, the list of commands and flags, from the commands in `dist`, as `oclif manifest` does. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Plugin } from '@oclif/core';

const root = join(import.meta.dirname, '..');
const plugin = new Plugin({
  root,
  type: 'core',
  ignoreManifest: true,
  errorOnManifestCreate: true,
  respectNoCacheDefault: true,
});
await plugin.load();
writeFileSync(join(root, 'oclif.manifest.json'), JSON.stringify(plugin.manifest, null, 2));
