import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from '../../../../scripts/build.ts';
import { root, run, tool } from '../../../../scripts/processes.ts';

export interface Installation {
  /** Holds `node_modules`, and the files of `consumer/`. */
  readonly folder: string;
  remove(): void;
}

/**
 * Packs the SDK and installs the tarball with its dependencies, without a registry and without links to the workspace.
 *
 * @throws Error with the output of the command that failed
 */
export async function installPacked(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'svc sdk packed '));
  try {
    const sdk = join(root, 'packages', 'sdk');
    if (!(await build({ packages: ['sdk'], quiet: true }))) throw new Error('the SDK could not be built');
    await succeed(tool('pnpm'), ['pack', '--pack-destination', folder], sdk);
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, '@svc', 'sdk'), { recursive: true });
    await succeed('tar', ['-xzf', tarball, '-C', join(modules, '@svc', 'sdk'), '--strip-components=1'], folder);
    // The one dependency and its own: copies, because a link would lead back into the workspace.
    const openapiFetch = realpathSync(join(sdk, 'node_modules', 'openapi-fetch'));
    const helpers = realpathSync(join(dirname(openapiFetch), 'openapi-typescript-helpers'));
    cpSync(openapiFetch, join(modules, 'openapi-fetch'), { recursive: true });
    cpSync(helpers, join(modules, 'openapi-typescript-helpers'), { recursive: true });
    cpSync(join(import.meta.dirname, 'consumer'), folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function succeed(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await run(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exits with ${code}:\n${output}`);
}
