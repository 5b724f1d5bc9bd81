/** The server, recorded over HTTP: a replay answers every operation as the server did. */
import { expect, test } from 'vitest';
import { createRecorder, createReplay } from '../harness/targets/recording.ts';
import { createClient, everyOperation } from '../harness/targets/sdk.ts';
import { serverOnPglite } from '../harness/targets/server.ts';
import { NOW, WORLD, WORLD_FILE } from '../harness/world.ts';

const KEY = 'osapi_demo_write';

/** Makes every call and returns its result, or the status and message of its error. */
async function callEverything(baseUrl: string): Promise<Map<string, unknown>> {
  const client = createClient({ baseUrl, apiKey: KEY, maxRetries: 0, now: () => NOW.getTime() });
  const results = new Map<string, unknown>();
  for (const [id, call] of Object.entries(everyOperation)) {
    const result = await Promise.resolve(call(client)).catch((error: unknown) => String(error));
    results.set(id, JSON.parse(JSON.stringify(result ?? null).replaceAll(baseUrl, 'http://service')));
  }
  return results;
}

test('a replay of the recorded server answers every operation of the SDK as the server did', async () => {
  const server = await serverOnPglite.start(WORLD, { now: NOW, rateLimit: 'off' }, WORLD_FILE);
  const warnings: string[] = [];
  const recorder = createRecorder({ upstream: server.baseUrl, onWarning: (message) => void warnings.push(message) });
  const recorded = await callEverything((await recorder.listen()).url);
  await recorder.close();
  await server.close();
  expect(warnings).toEqual([]);
  expect(recorded.size).toBe(Object.keys(everyOperation).length);

  const cassette = recorder.cassette();
  const text = JSON.stringify(cassette);
  expect(text).not.toContain(KEY);
  expect(text).not.toContain(server.baseUrl);
  const replay = createReplay({ cassette: JSON.parse(text) });
  const replayed = await callEverything((await replay.listen()).url);
  await replay.close();
  expect(replay.unmatched()).toEqual([]);
  for (const [id, result] of recorded) {
    // The contract is public: its examples are not redacted.
    const expected = id.startsWith('getOpenapi') ? result : withoutSecrets(result);
    expect([id, replayed.get(id)]).toEqual([id, expected]);
  }
}, 120_000);

/** Replaces what a recording redacts by matchers. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      if (name === 'secret') return [name, 'oswhsec_REDACTED'];
      const isUrl = /^(url|destinationUrl)$/.test(name) && /^\w+:\/\/[^/]+\/./.test(String(each));
      const isCode = name === 'path' && !String(each).startsWith('/');
      if (isUrl || isCode) return [name, expect.stringMatching(/redacted-[\da-f]{10}$/)];
      return [name, withoutSecrets(each)];
    }),
  );
}
