import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readProfiles, removeProfiles, saveProfile, useProfile } from './profiles.ts';
import { readSettings, writeSetting } from './settings.ts';

let configDir: string;
beforeEach(async () => {
  configDir = await mkdtemp(join(tmpdir(), 'svc-profiles-'));
});
afterEach(() => rm(configDir, { recursive: true }));

const profile = (apiKey: string) => ({ apiKey, baseUrl: 'https://api.example.com' });

test('of keys stored at once, each is kept', async () => {
  const names = ['a', 'b', 'c', 'd'];
  await Promise.all(names.map((name) => saveProfile(configDir, name, () => profile(name))));
  expect(Object.keys(readProfiles(configDir).profiles).sort()).toEqual(names);
  expect(await readdir(configDir)).toEqual(['profiles.json']);
});

test('a removed key does not come back', async () => {
  await saveProfile(configDir, 'old', () => profile('old'));
  await saveProfile(configDir, 'other', () => profile('other'));
  await Promise.all([
    removeProfiles(configDir, ['old']),
    saveProfile(configDir, 'new', () => profile('new')),
    useProfile(configDir, 'other'),
  ]);
  expect(readProfiles(configDir)).toMatchObject({ active: 'other', profiles: { other: {}, new: {} } });
  expect(readProfiles(configDir).profiles).not.toHaveProperty('old');
});

test('of defaults set at once, each is kept', async () => {
  await Promise.all([writeSetting(configDir, 'timeout', 60), writeSetting(configDir, 'range', '30d')]);
  expect(readSettings(configDir)).toMatchObject({ timeout: 60, range: '30d' });
});
