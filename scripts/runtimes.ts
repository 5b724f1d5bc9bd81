/** Runtimes and compilers that the packed SDK is tried in: too heavy to be dependencies, so fetched before the long tests. */
import { fetchPackages } from './fetched-packages.ts';

const VERSIONS = {
  bun: '1.4.5',
  deno: '2.9.6',
  miniflare: '4.20260730.0',
  node: '22.23.3',
  typescript: '5.9.3',
} as const;

export type Runtime = keyof typeof VERSIONS;

/** Name of the folder of `fetched-packages.ts`. */
export function folderOf(name: Runtime): string {
  return `${name}-${VERSIONS[name]}`;
}

/** What cannot be had is told on stderr; its tests say so again. */
export async function fetchRuntimes(): Promise<void> {
  for (const [name, version] of Object.entries(VERSIONS) as [Runtime, string][]) {
    const fetched = await fetchPackages(folderOf(name), [`${name}@${version}`], { runsScripts: true });
    if ('problem' in fetched) process.stderr.write(`${name}@${version} could not be fetched:\n${fetched.problem}\n`);
  }
}
