import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { isRecord } from '../../format/fields.ts';

const NAME = '@svc/mock';

/**
 * Returns the program of `@svc/mock`, installed next to the CLI or in the project of the current folder.
 *
 * @param places folders from which to search upwards, like Node
 * @throws CliError (exit 1) with the command that installs it
 */
export function findMock(places: readonly string[]): string {
  for (const place of places) {
    for (const folder of parentsOf(place)) {
      const program = programOf(join(folder, 'node_modules', ...NAME.split('/')));
      if (program !== null) return program;
    }
  }
  throw new CliError(
    'mock_not_installed',
    EXIT_CODES.unexpected,
    `${NAME} is not installed`,
    'Install it as you installed svc: npm install --global ./svc-mock-*.tgz',
  );
}

function programOf(folder: string): string | null {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return null;
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const bin = isRecord(manifest) && isRecord(manifest.bin) ? manifest.bin['svc-mock'] : null;
  return typeof bin === 'string' ? join(folder, bin) : null;
}

function parentsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...parentsOf(parent)];
}
