/** Runtimes, compilers and frameworks in which the packed SDK is tested. They are too large to be dependencies, so the long tests fetch them. */
import { fetchPackages } from './fetched-packages.ts';

const PACKAGES = {
  bun: ['bun@1.4.5'],
  deno: ['deno@2.9.6'],
  miniflare: ['miniflare@4.20260730.0'],
  // A build checks the types of the application with the installed compiler.
  next: [
    'next@16.4.6',
    'react@19.3.1',
    'react-dom@19.3.1',
    'typescript@5.9.3',
    '@types/node@26.6.6',
    '@types/react@19.3.0',
  ],
  node: ['node@22.23.3'],
  typescript: ['typescript@5.9.3'],
} as const;

export type Runtime = keyof typeof PACKAGES;

/** Returns the folder's name for `fetched-packages.ts`. */
export function folderOf(name: Runtime): string {
  return PACKAGES[name].join('+').replaceAll(/[@/]/g, '-');
}

/** Fetches all of them, and reports on stderr which could not be fetched; their tests fail or skip. */
export async function fetchRuntimes(): Promise<void> {
  for (const name of Object.keys(PACKAGES) as Runtime[]) {
    // Only the runtimes have install scripts; Next.js works without those of its packages.
    const fetched = await fetchPackages(folderOf(name), PACKAGES[name], { runsScripts: name !== 'next' });
    if ('problem' in fetched) process.stderr.write(`${name} could not be fetched:\n${fetched.problem}\n`);
  }
}
