// Makes packages/contract/src/generated, which is not in git, when the contract or what reads it has changed, and does nothing otherwise.
//
// The set-up runs this after each installation, on the Node of the machine (20 or newer), so it is plain JavaScript without dependencies.
// vitest runs it too, because editors start vitest without the set-up.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const contract = fileURLToPath(new URL('../packages/contract', import.meta.url));
const generated = join(contract, 'src', 'generated');
const stamp = join(generated, '.stamp');

/**
 * @param node the Node that can run TypeScript
 * @returns what the generator said when it failed, or null
 */
export function makeContractFiles(node) {
  if (readText(stamp) === fingerprint()) return null;
  const generator = spawnSync(node, [join(contract, 'scripts', 'generate.ts')], { encoding: 'utf8' });
  if (generator.status !== 0) return generator.error?.message ?? generator.stderr;
  writeFileSync(stamp, fingerprint());
  return null;
}

/** The hash of the contract, of the generator, and of what it wrote: what somebody edited or deleted is made again. */
function fingerprint() {
  const scripts = namesIn(join(contract, 'scripts')).map((name) => join('scripts', name));
  const outputs = namesIn(generated).map((name) => join('src', 'generated', name));
  const hash = createHash('sha256');
  for (const file of ['openapi.yaml', 'package.json', ...scripts, ...outputs]) {
    hash.update(`${file}\n${readText(join(contract, file))}\n`);
  }
  return hash.digest('hex');
}

function namesIn(folder) {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .sort((a, b) => (a < b ? -1 : 1));
  } catch {
    return [];
  }
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problem = makeContractFiles(process.execPath);
  if (problem !== null) {
    process.stderr.write(problem);
    process.exitCode = 1;
  }
}
