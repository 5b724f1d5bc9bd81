import { openapiJson, openapiYaml } from '@svc/contract/document';
import { operations } from '@svc/contract/operations';
import { describe, expect, test } from 'vitest';
import { SECRET_SOURCES } from '../../harness/extra-fixtures.ts';
import { onEveryTarget } from '../../harness/suite.ts';
import { MONTH } from '../../harness/world.ts';

onEveryTarget((api) => {
  describe.each([
    ['getOpenapiJson', openapiJson],
    ['getOpenapiYaml', openapiYaml],
  ] as const)('%s', (operationId, document) => {
    test('200 with the contract, without a key, cacheable for five minutes', async () => {
      const answer = await api.call(operationId, { key: null });
      expect(answer.status).toBe(200);
      const { baseUrl } = api.target();
      const written = ['http://127.0.0.1:4000', 'https://docs.example.com/api'] as const;
      expect(answer.text).toBe(document.replaceAll(written[0], baseUrl).replaceAll(written[1], `${baseUrl}/docs`));
      expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    });

    test('200 with any key', async () => {
      for (const key of ['osapi_nobody', 'osapi_demo_revoked', 'osapi_demo_no_api', 'osapi_demo_read']) {
        expect((await api.call(operationId, { key })).status).toBe(200);
      }
    });
  });

  describe('getOpenapiJson', () => {
    test('200 with the URLs of this service as servers and contact', async () => {
      const { baseUrl } = api.target();
      const { json } = await api.call('getOpenapiJson', { key: null });
      expect(json.servers).toMatchObject([{ url: '{baseUrl}', variables: { baseUrl: { default: baseUrl } } }]);
      expect(json.info.contact.url).toBe(`${baseUrl}/docs`);
    });
  });

  describe('links', () => {
    const MONTH_QUERY = `?${new URLSearchParams(MONTH)}`;

    /** Finds the URLs of this service in JSON, HTML or a header. */
    const linksIn = (text: string) => {
      const { baseUrl } = api.target();
      const found = [...text.matchAll(/https?:\/\/[^\s"'<>\\]+/g)].map(([link]) =>
        link.replace(/[.,;)]+$/, '').replaceAll('&amp;', '&'),
      );
      return found.filter((link) => link.startsWith(`${baseUrl}/`));
    };

    test.each(['osapi_demo_write', 'osapi_demo_connection_read', 'osapi_demo_empty', 'osapi_demo_other'])(
      'every link in answers to %s answers 200',
      async (key) => {
        const { baseUrl } = api.target();
        const headers = { authorization: `Bearer ${key}` };
        const followed = new Set<string>();
        const read = async (url: string) => {
          const isInbound = url.startsWith(`${baseUrl}/webhooks/`);
          const answer = await api.fetch(url, isInbound ? { method: 'POST', body: '{}' } : { headers });
          const text = await answer.text();
          // Text of Markdown also names addresses that are not links.
          const isMarkdown = answer.headers.get('content-type')?.startsWith('text/markdown') === true;
          const links = isMarkdown ? text.match(/(?<=\]\()[^()\s]+/g)?.join(' ') : text;
          return { status: answer.status, text: `${links ?? ''} ${answer.headers.get('link') ?? ''}` };
        };
        const follow = async (text: string): Promise<void> => {
          for (const link of linksIn(text)) {
            if (followed.has(link)) continue;
            followed.add(link);
            const answer = await read(link);
            // The post has no secret.
            const status = SECRET_SOURCES.some(({ id }) => link.endsWith(`/suite-secret-${id}`)) ? 401 : 200;
            expect([link, answer.status]).toEqual([link, status]);
            const { hash, pathname } = new URL(link);
            if (hash !== '') expect(answer.text).toContain(`id="${hash.slice(1)}"`);
            // Examples in the contract belong to another installation.
            if (!/\/openapi\.(json|yaml)$/.test(pathname)) await follow(answer.text);
          }
        };
        for (const { method, path, pathParams, access } of operations) {
          if (method !== 'GET' || pathParams.length > 0 || access === 'public') continue;
          await follow((await read(`${baseUrl}${path}${MONTH_QUERY}`)).text);
        }
        // One connection of this key has a blocker, and the blocker has two links.
        const ofBlocker = key === 'osapi_demo_write' ? ['/docs/status-codes', '/dashboard/connections/3'] : [];
        for (const suffix of ['/docs', '/api/v1/openapi.json', ...ofBlocker]) {
          expect([...followed].map((link) => link.replace(/#.*/, ''))).toContain(`${baseUrl}${suffix}`);
        }
      },
    );
  });
});
