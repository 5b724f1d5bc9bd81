import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Prints the URL of each module that a file of this folder loads. */
const listModules = (file: string) => `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({
    load(url, context, next) {
      urls.push(url);
      return next(url, context);
    },
  });
  await import('${new URL(file, import.meta.url)}');
  process.stdout.write(urls.join('\\n'));
`;

async function modulesOf(file: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', listModules(file)]);
  return stdout.split('\n');
}

test('a command that a running server performs loads neither the database nor the server', async () => {
  const modules = await modulesOf('program.ts');
  expect(modules).toContainEqual(expect.stringContaining('/operations/src/declared/'));
  const heavy =
    /\/engine\/src\/(store|queue|pipeline)\/|\/server\/src\/(http|inbound)\/|\/node_modules\/(pg|express|@electric-sql)\//;
  expect(modules.filter((url) => heavy.test(url))).toEqual([]);
});

test('a start loads no documents, no simulators, and nothing that only some installations use', async () => {
  const modules = await modulesOf('start.ts');
  expect(modules).toContainEqual(expect.stringContaining('/server/src/main/server.ts'));
  const rare =
    /\/contract\/src\/generated\/document|\/simulators\/|\/server\/src\/(mcp\/handler|admin\/(backup|doctor))|\/node_modules\/(amqplib|nodemailer|openid-client|yaml|@modelcontextprotocol|@opentelemetry\/(?!api\/)[^/]*)\//;
  expect(modules.filter((url) => rare.test(url))).toEqual([]);
});
