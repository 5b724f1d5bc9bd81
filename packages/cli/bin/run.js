#!/usr/bin/env node
// `getBuiltinModule` avoids loading streams, which an import of `node:fs` would do.
const { existsSync, readFileSync, writeSync } = process.getBuiltinModule('node:fs');

const packageFile = new URL('../package.json', import.meta.url);
const entry = new URL('../dist/run.js', import.meta.url);

if (asksForVersion(process.argv.slice(2))) {
  const { name, version } = JSON.parse(readFileSync(packageFile, 'utf8'));
  print(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}`);
} else if (process.argv[2] === '__complete') {
  // Runs at every press of Tab, so it does not load oclif either.
  await enableCompileCache();
  await import(new URL('../dist/complete.js', import.meta.url).href);
} else if (existsSync(entry)) {
  await enableCompileCache();
  await import(entry.href);
} else {
  console.error('svc is not built yet: run `npm run build` in the root of the repository.');
  process.exitCode = 1;
}

/** Whether the first word, or a flag at any place before `--`, asks for the version. */
function asksForVersion(words) {
  if (words[0] === '__complete') return false;
  const end = words.indexOf('--');
  const flags = end === -1 ? words : words.slice(0, end);
  return words[0] === 'version' || flags.includes('--version') || flags.includes('-v');
}

/** Writes a line without loading `process.stdout`, which would take 25 % more time. */
function print(line) {
  try {
    writeSync(1, `${line}\n`);
  } catch {
    // The pipe is full or closed.
    console.log(line);
  }
}

async function enableCompileCache() {
  (await import(new URL('../dist/compile-cache.js', import.meta.url).href)).enableCompileCache();
}
