/** Runtimes and compilers in which the packed SDK is tested. They are too large to be dependencies, so the long tests fetch them. */
import { fetchPackages } from './fetched-packages.ts';

const VERSIONS = {
  bun: '1.4.5',
  deno: '2.9.6',
  miniflare: '4.20260730.0',
  node: '22.23.3',
  typescript: '5.9.3',
} as const;

export type Runtime = keyof typeof VERSIONS;

/** Returns the folder's name for `fetched-packages.ts`. */
export function folderOf(name: Runtime): string {
  return `${name}-${VERSIONS[name]}`;
}

/** Fetches all of them, and reports on stderr which could not be fetched; their tests fail or skip. */
export async function fetchRuntimes(): Promise<void> {
  for (const [name, version] of Object.entries(VERSIONS) as [Runtime, string][]) {
    const fetched = await fetchPackages(folderOf(name), [`${name}@${version}`], { runsScripts: true });
    if ('problem' in fetched) process.stderr.write(`${name}@${version} could not be fetched:\n${fetched.problem}\n`);
  }
}
