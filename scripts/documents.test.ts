/** The documents name files, headings and decisions that exist. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './processes.ts';

const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !file.startsWith('.changeset/') && existsSync(join(root, file)));
const packages = readdirSync(join(root, 'packages'));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const withoutCode = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, '');

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(file: string): string[] {
  const headings = [...withoutCode(read(file)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(documents)('%s: every link leads to a file and a heading', (file) => {
  const links = [...withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const broken = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test.each(documents)('%s: every path in code exists', (file) => {
  const code = [...withoutCode(read(file)).matchAll(/`([\w./-]+\/[\w./-]*\w)\/?`/g)].map(([, path = '']) => path);
  const rooted = code.filter((path) => /^(packages|scripts|fixtures|bench|docs(?!\/reference))\//.test(path));
  const shortened = code
    .filter((path) => packages.includes(path.split('/')[0] ?? ''))
    .map((path) => `packages/${path}`);
  expect([...rooted, ...shortened].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('README.md has at most 1,350 words', () => {
  expect(read('README.md').split(/\s+/).length).toBeLessThanOrEqual(1_350);
});

test('the badges of README.md are true', () => {
  const { license, engines } = JSON.parse(read('packages/server/package.json'));
  const openapi = /^openapi: (\S+)$/m.exec(read('packages/contract/openapi.yaml'))?.[1] ?? '';
  const shown = (name: string) => /<title>(.*)<\/title>/.exec(read(`docs/badges/${name}.svg`))?.[1];
  expect(shown('licence')).toBe(`licence: ${license}`);
  expect(shown('node')).toBe(`Node: ${engines.node.replace('>=', '')} or newer`);
  expect(shown('openapi')).toBe(`OpenAPI: ${openapi}`);
});

test('the index of decisions has each decision with its title, date and status', () => {
  const files = globSync('docs/decisions/0*.md', { cwd: root }).toSorted();
  const rows = files.map((file) => {
    const [, number, title] = /^# (\d+)\. (.*)$/m.exec(read(file)) ?? [];
    const [, date, status] = /^Date: (\S+) · Status: (.*)$/m.exec(read(file)) ?? [];
    return `| ${number} | [${title}](${file.split('/').at(-1)}) | ${date} | ${status} |`;
  });
  expect(files.length).toBeGreaterThan(20);
  expect(
    read('docs/decisions/README.md')
      .split('\n')
      .filter((line) => /^\| \d/.test(line)),
  ).toEqual(rows);
});
