// Makes the files that the sources import but git does not hold, when one of their inputs has changed, and does nothing otherwise.
//
// The set-up runs this after each installation, on the Node of the machine (20 or newer), so it is plain JavaScript without dependencies.
// vitest runs it too, because editors start vitest without the set-up.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('../packages', import.meta.url));

/**
 * The generators in their order: the second reads what the first wrote. Each writes the TypeScript of its folder. Its inputs are
 * files, and folders with the TypeScript in them.
 */
const GENERATORS = [
  {
    folder: 'contract/src/generated',
    script: 'contract/scripts/generate.ts',
    source: 'contract/openapi.yaml',
    inputs: ['contract/openapi.yaml', 'contract/package.json', 'contract/scripts'],
  },
  {
    folder: 'mock/src/generated',
    script: 'mock/scripts/generate-row-types.ts',
    source: 'mock/src/state/world-data.ts',
    inputs: [
      ...['mock/scripts', 'mock/src/state/world-data.ts', 'domain/src/world', 'domain/src/mappings/event-mapping.ts'],
      'domain/src/policy',
      ...['contract/src/schemas', 'contract/src/vocabulary.ts', 'contract/openapi.yaml'],
    ],
  },
];

/**
 * @param node the Node that can run TypeScript
 * @returns null, or what could not be made, and what its generator said
 */
export function makeGeneratedFiles(node) {
  for (const generator of GENERATORS) {
    const problem = make(node, generator);
    if (problem !== null) {
      return `packages/${generator.folder} could not be made from packages/${generator.source}:\n${problem}`;
    }
  }
  return null;
}

function make(node, { folder, script, inputs }) {
  const stamp = join(packages, folder, '.stamp');
  if (readText(stamp) === fingerprint([...inputs, folder])) return null;
  const result = spawnSync(node, [join(packages, script)], { encoding: 'utf8' });
  if (result.status !== 0) return result.error?.message ?? result.stderr;
  writeFileSync(stamp, fingerprint([...inputs, folder]));
  return null;
}

/** The hash of the inputs and of what was made: what somebody edited or deleted is made again. */
function fingerprint(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesIn)) hash.update(`${file}\n${readText(join(packages, file))}\n`);
  return hash.digest('hex');
}

/** Returns the TypeScript of a folder without its tests, or the file itself. */
function filesIn(path) {
  if (/\.\w+$/.test(path)) return [path];
  try {
    return readdirSync(join(packages, path))
      .filter((name) => /(?<!\.test|\.fixture)\.ts$/.test(name))
      .sort((a, b) => (a < b ? -1 : 1))
      .map((name) => `${path}/${name}`);
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
  const problem = makeGeneratedFiles(process.execPath);
  if (problem !== null) {
    process.stderr.write(problem);
    process.exitCode = 1;
  }
}
