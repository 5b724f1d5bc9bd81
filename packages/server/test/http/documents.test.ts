/** `/llms.txt` and the documents in Markdown: content, links, caching. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backends } from '@svc/engine/test/backends';
import { operations } from '@svc/contract/operations';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DOCUMENTS } from '../../src/http/documents/document-list.ts';
import { renderDocument } from '../../src/http/documents/render-document.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

const [pglite] = backends;
if (!pglite) throw new Error('there is no embedded database');

const ROOT = join(import.meta.dirname, '../../../..');
/** Documents that are not served, and why. */
const OTHERS: Readonly<Record<string, string>> = {
  'docs/adding-a-crm.md': 'for contributors',
  'docs/screens.md': 'pictures',
};

const withoutCode = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, 'code');
const linksOf = (text: string) => [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
/** The anchors that GitHub gives to headings. */
const anchorsOf = (text: string) =>
  [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('documents', () => {
  let server: TestServer;
  const texts = new Map<string, string>();
  beforeAll(async () => {
    server = await startTestServer(pglite);
  });
  afterAll(() => server.close());

  async function read(url: string): Promise<string> {
    const known = texts.get(url);
    if (known !== undefined) return known;
    const answer = await fetch(url, { redirect: 'manual' });
    expect([url, answer.status]).toEqual([url, 200]);
    const text = await answer.text();
    texts.set(url, text);
    return text;
  }

  /** Reads what each link leads to, and looks for its heading there. */
  async function follow(page: string): Promise<number> {
    const links = linksOf(await read(page)).map((link) => new URL(link, page));
    const own = links.filter(({ origin }) => origin === server.url);
    for (const { href, hash } of own) {
      const target = await read(href.replace(/#.*/, ''));
      if (hash !== '')
        expect([page, href, anchorsOf(target)]).toEqual([page, href, expect.arrayContaining([hash.slice(1)])]);
    }
    return own.length;
  }

  test('llms.txt has the form of llmstxt.org, and its links are absolute and lead somewhere', async () => {
    const text = await read(`${server.url}/llms.txt`);
    expect(text).toMatch(
      /^# [^\n]+\n\n> [^\n]+\n\n(- [^\n]+\n)+(\n## [^\n]+\n\n(- \[[^\]]+\]\(http[^)]+\)[^\n]*\n)+)+$/,
    );
    expect(linksOf(text).filter((link) => !link.startsWith(`${server.url}/`))).toEqual([]);
    expect(await follow(`${server.url}/llms.txt`)).toBe(DOCUMENTS.length + 3);
    expect(text).toContain(`SVC_BASE_URL\`, here ${server.url}, `);
    expect(text).toContain(`${server.url}/mcp`);
  });

  test.each(DOCUMENTS)('$source is served, and its links lead somewhere', async ({ name, source }) => {
    const url = `${server.url}/docs/${name}.md`;
    await follow(url);
    const file = readFileSync(join(ROOT, source), 'utf8');
    const bare = (text: string) => text.replaceAll(/!?\[|\](?:\([^)\s]*\))?/g, '');
    expect(bare(await read(url))).toBe(bare(file));
  });

  test('every document of docs/ is served, or there is a reason', () => {
    const files = globSync(['docs/*.md', 'docs/crm/*.md', 'docs/sequencers/*.md'], { cwd: ROOT });
    const known = [...DOCUMENTS.map(({ source }) => source), ...Object.keys(OTHERS)];
    expect(files.length).toBeGreaterThan(30);
    expect(files.filter((file) => !known.includes(file))).toEqual([]);
  });

  test('the API reference names every operation, and its links lead somewhere', async () => {
    const text = await read(`${server.url}/docs/api.md`);
    for (const { id, method, path } of operations) expect(text).toContain(`### ${method} ${path}\n\n\`${id}\`: `);
    expect(text).not.toMatch(/undefined|\[object/);
    expect(Buffer.byteLength(text)).toBeLessThan(40_000);
    await follow(`${server.url}/docs/api.md`);
  });

  test.each(['/llms.txt', '/docs/api.md', '/docs/crm/hubspot.md'])(
    '%s is Markdown, and a 304 for who has it',
    async (path) => {
      const { headers } = await fetch(server.url + path);
      expect(headers.get('content-type')).toBe('text/markdown; charset=utf-8');
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      const etag = headers.get('etag') ?? '';
      const again = await fetch(server.url + path, {
        headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
      });
      expect([again.status, await again.text()]).toEqual([304, '']);
    },
  );

  test('pages say where their Markdown and llms.txt are', async () => {
    const link = async (path: string) => (await fetch(server.url + path)).headers.get('link');
    const described = `<${server.url}/llms.txt>; rel="describedby"; type="text/markdown"`;
    expect(await link('/docs')).toBe(
      `${described}, <${server.url}/docs/api.md>; rel="alternate"; type="text/markdown"`,
    );
    expect(await link('/docs/mcp.md')).toBe(described);
  });

  test.each(['/docs/nothing.md', '/docs/README.md', '/docs/../package.json.md', '/docs/%2e%2e/README.md', '/LLMS.txt'])(
    '404 for %s',
    async (path) => {
      const answer = await fetch(server.url + path);
      expect([answer.status, await answer.json()]).toMatchObject([404, { message: 'No such route' }]);
    },
  );
});

test('an installation with its own prefixes and address says so', async () => {
  const env = {
    ...{ SVC_HEADER_PREFIX: 'Acme-', SVC_KEY_PREFIX: 'acme_', SVC_SECRET_PREFIX: 'acme-sign_' },
    ...{ SVC_PUBLIC_URL: 'https://sync.acme.example/crm', SVC_MCP: 'off' },
  };
  const server = await startTestServer(pglite, { env });
  try {
    const text = await (await fetch(`${server.url}/llms.txt`)).text();
    expect(text).toContain('`Authorization: Bearer acme_...`');
    expect(text).toContain('begin with `Acme-`, `acme_` and `acme-sign_`');
    expect(text).toContain('(https://sync.acme.example/crm/docs/policy.md)');
    expect(text).not.toContain('/mcp with');
    expect(await (await fetch(`${server.url}/docs/api.md`)).text()).toContain('Bearer acme_...');
  } finally {
    await server.close();
  }
});

test('links lead to where their targets are served, and the text of others remains', () => {
  const render = (text: string) =>
    renderDocument(text, { name: 'crm/hubspot', source: 'docs/crm/hubspot.md', title: '' });
  const text = [
    'See [the `on` switch](../policy.md#hold-until), [SDK](../../packages/sdk/README.md), [us](#here), [vendor](https://example.com/a.md).',
    'And [samples](../samples/svc-job), ![a picture](../pictures/a.png), [contract](../../packages/contract/openapi.yaml), `[code](../x.md)`.',
    '```\n[code](../x.md)\n```',
  ];
  expect(render(text.join('\n')).split('\n')).toEqual([
    'See [the `on` switch](../policy.md#hold-until), [SDK](../sdk.md), [us](#here), [vendor](https://example.com/a.md).',
    'And samples, a picture, [contract](../../api/v1/openapi.yaml), `[code](../x.md)`.',
    ...['```', '[code](../x.md)', '```'],
  ]);
});
