import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../config/config.ts';
import { keyFileOf, loadSecretBox } from './key-material.ts';
import { generateEncryptionKey } from './secret-box.ts';
import type { Database } from '../store/database/db.ts';
import { migrate } from '../store/migrations/migrate.ts';
import { IN_MEMORY, openPglite } from '../store/database/pglite.ts';

const place = { kind: 'CRM token', id: 1 } as const;

describe('the encryption key', () => {
  let db: Database;
  let dataDir: string;
  beforeAll(async () => {
    db = await openPglite(IN_MEMORY);
    await migrate(db, new Date());
    await db.query(`insert into accounts (id, email, created_at) values (1, 'a@example.org', '2026-03-01T12:00:00Z')`);
  });
  afterAll(async () => {
    await db.close();
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'svc-key-'));
    await db.query('truncate connections cascade');
  });
  afterEach(async () => {
    await rm(dataDir, { recursive: true, force: true });
  });

  const load = (options: { configuredKeys?: string[]; mayGenerate?: boolean; isReplaced?: boolean } = {}) =>
    loadSecretBox({
      configuredKeys: options.configuredKeys,
      dataDir,
      mayGenerate: options.mayGenerate ?? true,
      db: options.isReplaced === true ? null : db,
    });
  const store = (sealed: string) =>
    db.query(
      `insert into connections (account_id, crm, organization_id, organization_domain, crm_token, created_at)
        values (1, 'HUBSPOT', '1', 'example.org', $1, '2026-03-01T12:00:00Z')`,
      [sealed],
    );

  test('is generated at the first start, readable by its owner only, and reused', async () => {
    const sealed = (await load()).encrypt('token', place);
    expect((await stat(keyFileOf(dataDir))).mode & 0o777).toBe(0o600);
    await store(sealed);
    expect((await load()).decrypt(sealed, place)).toBe('token');
  });

  test('is not generated beside stored secrets: the error asks for the old key, and no file is left', async () => {
    const sealed = (await load()).encrypt('token', place);
    const key = (await readFile(keyFileOf(dataDir), 'utf8')).trim();
    await store(sealed);
    await rm(keyFileOf(dataDir));
    const refused = load();
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(/encryption\.key.*backup.*SVC_ENCRYPTION_KEY/);
    await expect(stat(keyFileOf(dataDir))).rejects.toThrow('ENOENT');
    expect((await load({ configuredKeys: [key] })).decrypt(sealed, place)).toBe('token');
  });

  test('is generated when stored data is about to be replaced', async () => {
    await store((await load({ configuredKeys: [generateEncryptionKey()] })).encrypt('token', place));
    expect((await load({ isReplaced: true })).encrypt('x', place)).toEqual(expect.any(String));
  });

  test('must be configured when several machines share the database', async () => {
    await expect(load({ mayGenerate: false })).rejects.toThrow(/^SVC_ENCRYPTION_KEY is needed with DATABASE_URL/);
  });
});
