/** Reads the files of docs/configuration.md, and wrong ones. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { anyBackend } from '@svc/engine/test/backends';
import { accountSchema } from '@svc/operations/declared/config-file';
import { type Administration, openAdministration } from '../../../test/support/admin-harness.ts';
import { readConfigDocument } from './config-document.ts';

const docs = readFileSync(new URL('../../../../../docs/configuration.md', import.meta.url), 'utf8');
const [oneClient = '', template = ''] = [...docs.matchAll(/```yaml\n([^]*?)```/g)].map(([, text = '']) => text);

const folder = mkdtempSync(join(tmpdir(), 'svc-config-'));
function fileOf(text: string): string {
  const file = join(folder, 'clients.yaml');
  writeFileSync(file, text);
  return file;
}
/** Secrets come from files here, because a test leaves the environment alone. */
function withFiles(text: string): string {
  writeFileSync(join(folder, 'secret'), 'a-secret-of-24-characters\n');
  return text.replaceAll(/env:(\w+|\$\{token\})/g, 'file:secret');
}

let admin: Administration;
beforeAll(async () => {
  admin = await openAdministration(anyBackend);
});
afterAll(() => admin.close());

async function apply(file: string) {
  const input = await readConfigDocument(file);
  const plan = (await admin.runUnchecked('config/plan', input)) as { planId: string };
  return admin.runUnchecked('config/apply', { ...input, planId: plan.planId });
}
async function planned(file: string) {
  return admin.runUnchecked('config/plan', await readConfigDocument(file));
}

test('the client of the document', async () => {
  const file = fileOf(withFiles(oneClient));
  expect(await apply(file)).toMatchObject({ applied: 9, manual: [] });
  expect(await planned(file)).toMatchObject({ steps: [], unlisted: [] });
});

test('30 clients of the template: all are made, a new client is one step, and a changed template changes each', async () => {
  const [head = ''] = withFiles(template).replace('email, portalId', 'email, portalId').split('accounts:\n');
  const body = head.replace(', token]', ']');
  const clients = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      ...{ name: `client-${index}`, template: 'hubspot-client' },
      with: {
        ...{ email: `client-${index}@example.com`, portalId: `${5000 + index}` },
        ...{ domain: `client-${index}.example.com`, rep: `rep-${index}@example.com` },
      },
    }));
  const of = (text: string, count: number) => fileOf(`${text}${stringify({ accounts: clients(count) })}`);
  expect(await apply(of(body, 30))).toMatchObject({ applied: 30 * 5 });
  expect(await planned(of(body, 30))).toMatchObject({ steps: [] });
  const { steps } = (await planned(of(body, 31))) as { steps: { path: string }[] };
  expect(steps.map(({ path }) => path.split('/')[0])).toEqual(Array.from({ length: 5 }, () => 'client-30'));
  const changed = of(
    body.replace('platform: smartlead', 'platform: smartlead\n            createOrUpdateTask: true'),
    30,
  );
  expect(await apply(changed)).toMatchObject({ applied: 30 });
});

test.each([
  [
    'an unknown key',
    (text: string) => text.replace('email:', 'mail:'),
    /clients\.yaml:\d+: accounts\.0\.mail: is no key here/,
  ],
  [
    'a wrong platform',
    (text: string) => text.replace('type: ADDRESS', 'type: PHONE'),
    /clients\.yaml:\d+: accounts\.0\.connections\.0\.blocklists\.0\.type: must be one of/,
  ],
  ['no YAML', (text: string) => text.replace('version: 1', 'version: [1'), /clients\.yaml:\d+: is not YAML/],
  [
    'a variable that is not set',
    (text: string) => text,
    /clients\.yaml:\d+: accounts\.0.*: the variable \w+ is not set/,
  ],
])('%s is an error with its line', async (_what, change, message) => {
  const error: unknown = await readConfigDocument(fileOf(change(oneClient))).catch((reason: unknown) => reason);
  expect(String(error)).toMatch(message);
});

test.each([
  ['a missing parameter', /^ {6}rep: .*\n/m, '', /with: the parameter rep of template hubspot-client is missing/],
  ['an unknown parameter', 'with:\n', 'with:\n      color: red\n', /template hubspot-client has no parameter color/],
  ['an unused parameter', 'parameters: [', 'parameters: [color, ', /the template does not use color/],
  ['an undeclared parameter', '${rep}', '${reps}', /there is no parameter reps/],
  ['an unknown template', 'template: hubspot-client', 'template: hubspot', /there is no template hubspot/],
])('%s is an error with its line', async (_what, from, to, message) => {
  const error: unknown = await readConfigDocument(fileOf(template.replace(from, () => to))).catch(
    (reason: unknown) => reason,
  );
  expect(String(error)).toMatch(/clients\.yaml:\d+: /);
  expect(String(error)).toMatch(message);
});

test('one account of a file needs only its own secrets', async () => {
  const text =
    withFiles(oneClient) + stringify([{ name: 'other', email: 'other@example.com' }]).replaceAll(/^/gm, '  ');
  const { accounts } = await readConfigDocument(fileOf(text.trimEnd()), 'other');
  expect(accounts.map((account) => accountSchema.parse(account).name)).toEqual(['other']);
});
