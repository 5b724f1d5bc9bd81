#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';

const packageFile = new URL('../package.json', import.meta.url);
const entry = new URL('../dist/run.js', import.meta.url);

if (process.argv.length === 3 && process.argv[2] === '--version') {
  // The most frequent question a script asks, answered without loading the framework: the same line as oclif's own.
  const { name, version } = JSON.parse(readFileSync(packageFile, 'utf8'));
  console.log(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}`);
} else if (process.argv[2] === '__complete') {
  // Asked at every press of Tab: without the framework too.
  module.enableCompileCache?.();
  await import(new URL('../dist/complete.js', import.meta.url).href);
} else if (existsSync(entry)) {
  module.enableCompileCache?.();
  await import(entry.href);
} else {
  console.error('svc is not built yet: run `npm run build` in the root of the repository.');
  process.exitCode = 1;
}
