/** What V8 optimizes while the embedded database works. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Far below the parser, the only large function that statements make hot at once. */
const LARGE_BYTES = 60_000;
/** Each statement is parsed, because it differs from the ones before. */
const PROGRAM = `
  const { openPglite } = await import(${JSON.stringify(new URL('pglite.ts', import.meta.url).href)});
  const db = await openPglite('memory://');
  for (let n = 0; n < 1_000; n += 1) await db.query(\`select \${n} as n, name from (values ('a'), ('b')) as v (name) where name in ('a', 'c')\`);
  await db.close();
`;

test('functions of the database are optimized, but not the parser, which would take 600 MB', async () => {
  // In the thread that runs it, so that nothing is still being optimized at the end.
  const flags = ['--trace-wasm-compilation-times', '--wasm-sync-tier-up'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', PROGRAM], {
    maxBuffer: 2 ** 24,
  });
  const optimized = [...stdout.matchAll(/using TurboFan, .* bodysize (\d+)/g)].map(([, bytes]) => Number(bytes));
  expect(optimized.length).toBeGreaterThan(20);
  expect(optimized.filter((bytes) => bytes > LARGE_BYTES)).toEqual([]);
});
