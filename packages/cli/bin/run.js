#!/usr/bin/env node
// Plain JavaScript that loads next to nothing: an import of `node:fs` would read every export, and with them load streams.
const { existsSync, mkdirSync, readFileSync, writeSync } = process.getBuiltinModule('node:fs');

const packageFile = new URL('../package.json', import.meta.url);
const entry = new URL('../dist/run.js', import.meta.url);

if (process.argv.length === 3 && process.argv[2] === '--version') {
  // The most frequent question a script asks, answered without loading the framework: the same line as oclif's own.
  const { name, version } = JSON.parse(readFileSync(packageFile, 'utf8'));
  print(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}`);
} else if (process.argv[2] === '__complete') {
  // Asked at every press of Tab: without the framework too.
  enableCompileCache();
  await import(new URL('../dist/complete.js', import.meta.url).href);
} else if (existsSync(entry)) {
  enableCompileCache();
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

/**
 * What V8 made of our code at an earlier start, kept by Node (from 22.8 on) for each of its versions. Not in Node's own default
 * place below the temporary folder, which belongs to everybody: whoever comes first could leave code there that others run.
 * Where nothing can be kept, everything works as before, a little slower.
 */
function enableCompileCache() {
  try {
    const { env } = process;
    const { enableCompileCache: enable } = process.getBuiltinModule('node:module');
    // With the former, Node has done it by itself.
    if (enable === undefined || env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE) return;
    const folder = cacheFolder();
    if (folder === null) return;
    makeFolder(folder);
    enable(folder);
  } catch {
    // A user without a home, a folder that is none: no reason to fail.
  }
}

/** Level by level: where one cannot be made (`/proc`), Node's own way of making several at once never ends. */
function makeFolder(folder) {
  if (existsSync(folder)) return;
  const { dirname } = process.getBuiltinModule('node:path');
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** As oclif has it; null where there is none. */
function cacheFolder() {
  const { join } = process.getBuiltinModule('node:path');
  const { env, platform } = process;
  const home = env.HOME || process.getBuiltinModule('node:os').homedir();
  const given = env.SVC_CACHE_DIR;
  if (given) return join(given, 'compiled');
  if (platform === 'darwin' && home) return join(home, 'Library', 'Caches', 'svc', 'compiled');
  const base = env.XDG_CACHE_HOME || (platform === 'win32' && env.LOCALAPPDATA) || (home && join(home, '.cache'));
  return base ? join(base, 'svc', 'compiled') : null;
}
