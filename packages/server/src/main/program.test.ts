import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Prints the URL of each module that is loaded with the table of the commands. */
const LIST_MODULES = `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({
    load(url, context, next) {
      urls.push(url);
      return next(url, context);
    },
  });
  await import('${new URL('program.ts', import.meta.url)}');
  process.stdout.write(urls.join('\\n'));
`;

test('a command that a running server performs loads neither the database nor the server', async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', LIST_MODULES]);
  const modules = stdout.split('\n');
  expect(modules).toContainEqual(expect.stringContaining('/operations/src/declared/'));
  const heavy =
    /\/engine\/src\/(store|queue|pipeline)\/|\/server\/src\/(http|inbound)\/|\/node_modules\/(pg|express|@electric-sql)\//;
  expect(modules.filter((url) => heavy.test(url))).toEqual([]);
});
