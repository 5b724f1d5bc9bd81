/** Every URL in the API's answers returns 200 when fetched unchanged with the same key. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { type PrefixProxy, startPrefixProxy } from '../support/prefix-proxy.ts';

const KEYS = ['osapi_demo_write', 'osapi_demo_connection_read', 'osapi_demo_empty', 'osapi_demo_other'];

interface Issue {
  code: string;
  remediation: string;
  docUrl: string;
}

/** Configurations of the server's addresses, given the URL of a proxy in front. */
const SETTINGS: { name: string; env: (proxyUrl: string) => Record<string, string> }[] = [
  { name: 'without configured addresses', env: () => ({}) },
  { name: 'below the path prefix of a proxy', env: (url) => ({ SVC_PUBLIC_URL: url }) },
  {
    name: 'with every address configured',
    env: (url) => ({
      SVC_PUBLIC_URL: `${url}/`,
      SVC_DASHBOARD_URL: `${url}/dashboard/`,
      SVC_DOCS_URL: `${url}/docs/`,
    }),
  },
];

describe('links', () => {
  describe.each(SETTINGS)('of a server $name', ({ env }) => {
    let server: TestServer;
    let proxy: PrefixProxy;
    beforeAll(async () => {
      proxy = await startPrefixProxy('/some/svc');
      server = await startTestServer(anyBackend, { env: env(proxy.url) });
      proxy.target = server.url;
    });
    afterAll(async () => {
      await server.close();
      await proxy.close();
    });

    test('all answer 200', async () => {
      const { api } = server.running.ctx.urls;
      expect(api).toBe(env('')['SVC_PUBLIC_URL'] === undefined ? server.url : proxy.url);
      await expectAllAnswer(api);
    });

    /** Follows the links of all answers at `baseUrl`; their number is checked so that none is missed. */
    async function expectAllAnswer(baseUrl: string): Promise<void> {
      const codes = new Set<string>();
      for (const key of KEYS) {
        const { read, follow } = createReader(key, baseUrl);
        const { links } = await read('/api/v1/me');
        const hrefs = Object.values<{ href: string }>(links).map(({ href }) => href);
        expect(hrefs).toHaveLength(11);
        for (const href of hrefs) await follow(href);
        const status = await read('/api/v1/account/status');
        const issues: Issue[] = [...status.blockers, ...status.warnings];
        for (const { code, remediation, docUrl } of issues) {
          codes.add(code);
          expect(new URL(docUrl).hash).toBe(`#${code}`);
          expect(await follow(docUrl)).toContain(`id="${code}"`);
          const [link = ''] = /https?:\/\/\S+/.exec(remediation) ?? [];
          expect(await follow(link)).toContain('<div id="root"></div>');
        }
        const response = await fetch(`${baseUrl}/api/v1/nothing`);
        for (const [, href = ''] of (response.headers.get('link') ?? '').matchAll(/<([^>]+)>/g)) await follow(href);
      }
      expect([...codes].sort()).toEqual([
        'blocklists_error',
        'blocklists_not_configured',
        'crm_connection_error',
        'crm_disconnected',
        'destinations_not_configured',
      ]);
    }
  });
});

function createReader(key: string, baseUrl: string) {
  const follow = async (href: string): Promise<string> => {
    expect(href.slice(0, baseUrl.length + 1)).toBe(`${baseUrl}/`);
    const response = await fetch(href, { headers: { authorization: `Bearer ${key}` }, redirect: 'error' });
    const text = await response.text();
    expect([href, response.status]).toEqual([href, 200]);
    return text;
  };
  const read = async (path: string): Promise<ReturnType<typeof JSON.parse>> => JSON.parse(await follow(baseUrl + path));
  return { follow, read };
}
