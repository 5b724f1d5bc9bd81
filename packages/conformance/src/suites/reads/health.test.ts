import { describe, expect, test } from 'vitest';
import { onEveryTarget } from '../../harness/suite.ts';

onEveryTarget((api) => {
  describe('getHealthLive', () => {
    test('200 without a key and with any key', async () => {
      for (const key of [null, 'osapi_nobody', 'osapi_demo_read']) {
        expect(await api.read('getHealthLive', { key })).toEqual({ status: 'ok' });
      }
    });
  });

  describe('getHealthReady', () => {
    test('200 when all checks are ok', async () => {
      const { status, checks } = await api.read('getHealthReady', { key: null });
      expect(status).toBe('ok');
      expect(Object.keys(checks).length).toBeGreaterThan(0);
      expect(new Set(Object.values(checks))).toEqual(new Set(['ok']));
    });
  });
});

onEveryTarget(
  (api) => {
    describe('getHealthReady', () => {
      test('503 with queue error while the workers are off', async () => {
        const answer = await api.call('getHealthReady', { key: null });
        expect([answer.status, answer.json.status]).toEqual([503, 'error']);
        expect(answer.json.checks).toMatchObject({ database: 'ok', queue: 'error' });
      });
    });

    describe('getHealthLive', () => {
      test('200 while the workers are off', async () => {
        expect((await api.call('getHealthLive', { key: null })).status).toBe(200);
      });
    });
  },
  { workers: 'off' },
);
