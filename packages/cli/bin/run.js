#!/usr/bin/env node
// Plain JavaScript that loads next to nothing: an import of `node:fs` would read every export, and with them load streams.
const { existsSync, readFileSync, writeSync } = process.getBuiltinModule('node:fs');

const packageFile = new URL('../package.json', import.meta.url);
const entry = new URL('../dist/run.js', import.meta.url);

if (process.argv.length === 3 && process.argv[2] === '--version') {
  // The most frequent question a script asks, answered without loading the framework: the same line as oclif's own.
  const { name, version } = JSON.parse(readFileSync(packageFile, 'utf8'));
  print(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}`);
} else if (process.argv[2] === '__complete') {
  // Asked at every press of Tab: without the framework too.
  await enableCompileCache();
  await import(new URL('../dist/complete.js', import.meta.url).href);
} else if (existsSync(entry)) {
  await enableCompileCache();
  await import(entry.href);
} else {
  console.error('svc is not built yet: run `npm run build` in the root of the repository.');
  process.exitCode = 1;
}

/** `process.stdout` alone takes a fifth of the time that all of this takes. */
function print(line) {
  try {
    writeSync(1, `${line}\n`);
  } catch {
    // A pipe that is full or closed.
    console.log(line);
  }
}

async function enableCompileCache() {
  (await import(new URL('../dist/compile-cache.js', import.meta.url).href)).enableCompileCache();
}
