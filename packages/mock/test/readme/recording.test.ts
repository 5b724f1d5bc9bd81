import { createMock, createRecorder, createReplay } from '@svc/mock';
import { createClient } from '@svc/sdk';
import { expect, test } from 'vitest';

const baseUrl = 'https://api.example.com';

test('a replay answers as the service did', async () => {
  const service = createMock(); // stands for the real service, which needs no `fetch` below
  const recorder = createRecorder({ upstream: baseUrl, fetch: service.fetch });
  const online = createClient({ baseUrl, apiKey: service.keys.osapi_demo_read, fetch: recorder.fetch });
  const { account } = await online.me.get();
  const cassette = recorder.cassette(); // with the option `output: 'cassette.json'` it is in that file

  const replay = createReplay({ cassette });
  const offline = createClient({ baseUrl, apiKey: 'osapi_any', fetch: replay.fetch });
  expect((await offline.me.get()).account).toEqual(account);
  expect(replay.unmatched()).toEqual([]);
});
