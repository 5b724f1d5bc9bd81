// Installs the dependencies when they are missing or changed, then makes what the sources import but git does not hold (generated-files.mjs);
// does nothing when both are there.
//
// It runs on the Node of the machine (20 or newer), so it is plain JavaScript without dependencies. It also installs the Node that
// everything else here runs on: npm puts node_modules/.bin first on PATH, so the next script uses that one.
//
// Everything from the registry is compared with a hash in pnpm-lock.yaml before any of it runs: npm checks pnpm, with a lockfile written
// here, and pnpm checks all other packages, including Node (one package per platform, without install script).
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeGeneratedFiles } from './generated-files.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stamp = join(modules, '.svc-setup');
const isWindows = process.platform === 'win32';
const nodePackage = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
const pinnedNode = join(modules, nodePackage, 'bin', isWindows ? 'node.exe' : 'node');
const shim = join(modules, '.bin', 'node');
// pnpm's own option would run Node as a child, and no signal would reach that child.
const shimText = `#!/bin/sh\nexec "$(dirname "$0")/../${nodePackage}/bin/node" "$@"\n`;
const pnpm = pinnedPnpm();
const pnpmFolder = join(root, '.cache', 'setup');
const pnpmFile = join(pnpmFolder, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');

const major = Number(process.versions.node.split('.')[0]);
if (major < 20) {
  fail(`Node 20 or newer is needed to set this up, this is ${process.version}. Install one from https://nodejs.org/.`);
}

const manifests = workspaceManifests();
const hasPinnedNode = nodePackage in (JSON.parse(readText(join(root, 'package.json'))).optionalDependencies ?? {});
if (!hasPinnedNode && major < 24) {
  fail(
    `There is no ${nodePackage} among the dependencies: on this platform install Node 24 or newer, and run this again.`,
  );
}
const wanted = fingerprint();
if (readText(stamp) !== wanted || !isComplete()) await install();
const problem = makeGeneratedFiles(hasPinnedNode ? pinnedNode : process.execPath);
if (problem !== null) fail(problem);

/** The hash of everything that an installation depends on. The version of the machine's Node does not matter. */
function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc', ...manifests]) {
    hash.update(`${file}\n${readText(join(root, file)) ?? ''}\n`);
  }
  return hash.digest('hex');
}

function workspaceManifests() {
  const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`);
  return ['package.json', 'bench/package.json', 'fixtures/package.json', ...packages]
    .filter((file) => existsSync(join(root, file)))
    .sort((a, b) => (a < b ? -1 : 1));
}

/** Returns whether the installation that the stamp describes is still there. */
function isComplete() {
  return (
    (!hasPinnedNode || (existsSync(pinnedNode) && (isWindows || readText(shim) === shimText))) &&
    manifests.every((file) => !needsModules(file) || existsSync(join(root, dirname(file), 'node_modules')))
  );
}

/** Version and hash of the pnpm that the lockfile pins. */
function pinnedPnpm() {
  const pin = /^ {2}pnpm@([\d.]+):\n {4}resolution: \{integrity: (sha512-[\w+/=]+)\}/m.exec(
    readText(join(root, 'pnpm-lock.yaml')) ?? '',
  );
  if (pin === null) fail('pnpm-lock.yaml pins no pnpm. Restore it: git checkout pnpm-lock.yaml');
  return { version: pin[1], integrity: pin[2] };
}

function needsModules(file) {
  const manifest = JSON.parse(readText(join(root, file)));
  return Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).length > 0;
}

async function install() {
  try {
    accessSync(root, constants.W_OK);
    mkdirSync(modules, { recursive: true });
    // An interrupted installation leaves no stamp, so the next run repeats it.
    rmSync(stamp, { force: true });
  } catch (error) {
    fail(`${root} cannot be written to (${error.code}). Use a folder of your own, or change its owner or mount.`);
  }
  process.stderr.write(
    `Installing dependencies with pnpm@${pnpm.version} (the first time takes about half a minute)...\n`,
  );
  const started = Date.now();
  const fetched = await fetchPnpm();
  const { code, signal, output } =
    fetched.code === 0
      ? await run(process.execPath, [pnpmFile, 'install', '--frozen-lockfile', '--config.confirm-modules-purge=false'])
      : fetched;
  if (code !== 0) {
    removeBrokenNode();
    if (signal !== null) fail(`Interrupted (${signal}); the next run starts over.`, 130);
    process.stderr.write(`${output.trimEnd()}\n\n`);
    fail(explain(output));
  }
  if (hasPinnedNode && !existsSync(pinnedNode)) {
    removeBrokenNode();
    process.stderr.write(`${output.trimEnd()}\n\n`);
    fail(`The installation ended without Node itself in ${pinnedNode}. ${explain(output)}`);
  }
  try {
    if (hasPinnedNode && !isWindows) {
      rmSync(shim, { force: true });
      mkdirSync(dirname(shim), { recursive: true });
      writeFileSync(shim, shimText, { mode: 0o755 });
    }
    writeFileSync(stamp, wanted);
  } catch (error) {
    fail(`${error.path} could not be written (${error.code}).`);
  }
  process.stderr.write(`Dependencies installed in ${Math.round((Date.now() - started) / 1000)} s.\n`);
}

/** Installs pnpm with `npm ci`, which stops on another hash. The lockfile has no addresses, so it works with any registry. */
async function fetchPnpm() {
  const { version, integrity } = pnpm;
  const verified = join(pnpmFolder, 'verified');
  if (readText(verified) === integrity && existsSync(pnpmFile)) return { code: 0, signal: null, output: '' };
  const manifest = { name: 'setup', private: true, dependencies: { pnpm: version } };
  const packages = { '': manifest, 'node_modules/pnpm': { version, integrity } };
  rmSync(pnpmFolder, { recursive: true, force: true });
  mkdirSync(pnpmFolder, { recursive: true });
  writeFileSync(join(pnpmFolder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(pnpmFolder, 'package-lock.json'),
    JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
  );
  const result = await run('npm', ['ci', '--ignore-scripts'], { cwd: pnpmFolder, shell: isWindows }); // npm is a .cmd file on Windows
  if (result.code === 0) writeFileSync(verified, integrity);
  return result;
}

function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env: installEnv(), stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let output = '';
    const collect = (text) => {
      output += text;
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.on('error', (error) => resolve({ code: 127, signal: null, output: `${output}${error.message}` }));
    child.on('close', (code, signal) => resolve({ code: code ?? 1, signal: interrupted ?? signal, output }));
    // The terminal sends Ctrl-C to pnpm as well; a signal to this process alone is passed on.
    let interrupted = null;
    for (const name of ['SIGINT', 'SIGTERM']) {
      process.on(name, () => {
        interrupted = name;
        child.kill(name);
      });
    }
  });
}

function installEnv() {
  const env = {
    // Retry soon, and give up on an unreachable registry within seconds instead of minutes.
    npm_config_fetch_retries: '3',
    npm_config_fetch_retry_mintimeout: '500',
    npm_config_fetch_retry_maxtimeout: '5000',
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    ...process.env,
    // `npm --prefix` and `npm --workspace` export these to scripts; they are not meant for this installation.
    npm_config_prefix: undefined,
    npm_config_workspace: undefined,
    npm_config_global: undefined,
    // NODE_ENV=production or --omit=dev would leave out the tools, Node among them.
    NODE_ENV: undefined,
    npm_config_production: undefined,
    npm_config_omit: undefined,
  };
  // Accounts without a home (nobody, some users of containers) need another place for the cache.
  if (!isWritable(homedir())) {
    const home = join(root, '.cache', 'home');
    mkdirSync(home, { recursive: true });
    env.HOME = home;
    env.npm_config_cache = join(home, '.npm');
    env.npm_config_store_dir = join(home, '.pnpm-store');
    for (const name of ['XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME']) env[name] = home;
  }
  return env;
}

/** Removes a node_modules/.bin/node that does not work: the next `npm start` would run it. */
function removeBrokenNode() {
  if (!existsSync(shim)) return;
  if (existsSync(pinnedNode) && spawnSync(pinnedNode, ['--version']).status === 0) return;
  rmSync(shim, { force: true });
}

/** Returns the likely cause and the remedy, from the output of npm and pnpm. */
function explain(output) {
  const has = (...words) => words.some((word) => output.includes(word));
  if (has('ENOSPC', 'no space left')) return 'The disk is full: this needs about 1.5 GB with the package store.';
  if (has('EINTEGRITY', 'ERR_PNPM_TARBALL_INTEGRITY')) {
    return (
      'A package is not the one that pnpm-lock.yaml pins (see above), and nothing of it was run: the registry, or a proxy or cache on the ' +
      'way, gave other bytes. Ask whoever runs it; do not pin the new hash before you know what has changed.'
    );
  }
  if (has('ERR_PNPM_OUTDATED_LOCKFILE', 'ERR_PNPM_LOCKFILE_CONFIG_MISMATCH')) {
    return `A package.json was changed without the lockfile. Run: node ${pnpmFile} install`;
  }
  if (has('EROFS')) return `${root}, or the npm cache in ${homedir()}, is on a read-only file system.`;
  if (has('EACCES', 'EPERM')) {
    return `No permission to write somewhere (see above): files in ${root} or ${homedir()} may belong to another account.`;
  }
  if (
    has(
      'ENOTFOUND',
      'EAI_AGAIN',
      'ECONNREFUSED',
      'ECONNRESET',
      'ENETUNREACH',
      'ETIMEDOUT',
      'ESOCKETTIMEDOUT',
      'network',
    )
  ) {
    return (
      'The package registry could not be reached. The first installation needs a network; afterwards everything works offline. ' +
      'Behind a proxy set HTTPS_PROXY; with a registry of your own run: npm config set registry URL'
    );
  }
  if (has('spawn npm ENOENT')) return 'npm was not found: it comes with Node.';
  if (has('E401', 'E403', 'E404', 'ERR_PNPM_FETCH_4'))
    return 'The package registry refused a package (see above): npm config get registry';
  return `The installation failed (see above). To start afresh, delete ${modules} and run this again.`;
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function fail(message, code = 1) {
  process.stderr.write(`setup: ${message}\n`);
  process.exit(code);
}
