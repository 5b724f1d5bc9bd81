import { openapiJson, openapiYaml } from '@svc/contract/document';
import { describe, expect, test } from 'vitest';
import { onEveryTarget } from './suite.ts';

onEveryTarget((api) => {
  describe.each([
    ['getOpenapiJson', openapiJson],
    ['getOpenapiYaml', openapiYaml],
  ] as const)('%s', (operationId, document) => {
    test('200 with the contract, without a key, to be kept for five minutes', async () => {
      const answer = await api.call(operationId, { key: null });
      expect(answer.status).toBe(200);
      expect(answer.text).toBe(document);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    });

    test('200 whatever key is sent', async () => {
      for (const key of ['osapi_nobody', 'osapi_demo_revoked', 'osapi_demo_no_api', 'osapi_demo_read']) {
        expect((await api.call(operationId, { key })).status).toBe(200);
      }
    });
  });
});
