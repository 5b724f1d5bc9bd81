/** Administration of API keys of sequencers, and block lists that use one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyBackend } from '@svc/engine/test/backends';
import { type Administration, expectRefusal, makePipeline, openAdministration } from '../support/admin-harness.ts';

describe('sequencer keys', () => {
  let admin: Administration;
  let run: Administration['run'];
  let one: Awaited<ReturnType<typeof makePipeline>>;
  let other: Awaited<ReturnType<typeof makePipeline>>;
  beforeAll(async () => {
    admin = await openAdministration(anyBackend);
    ({ run } = admin);
    one = await makePipeline(admin, 'one@example.com');
    other = await makePipeline(admin, 'other@example.com');
  });
  afterAll(async () => {
    await admin.close();
  });

  const add = (name: string, more: object = {}) =>
    run('sequencer-keys/add', {
      accountId: one.account.id,
      name,
      platform: 'smartlead',
      token: 'sl-secret-1',
      ...more,
    });
  const stored = async (id: number) => {
    const { rows } = await admin.ctx.db.query<{ token: string | null }>(
      'select token from sequencer_keys where id = $1',
      [id],
    );
    const [row] = rows;
    return typeof row?.token === 'string' ? admin.ctx.secrets.decrypt(row.token, { kind: 'sequencer key', id }) : null;
  };
  const list = (more: object) => ({
    ...{ connectionId: one.connection.id, listName: 'Do not contact', crmListId: '88' },
    ...{ platform: 'smartlead' as const, blockType: 'ADDRESS' as const },
    ...more,
  });

  test('add, update, set-token and list: the key is stored encrypted and never shown', async () => {
    const { key } = await add('main');
    expect(key).toEqual({
      ...{ id: expect.any(Number), accountId: one.account.id, name: 'main', platform: 'smartlead' },
      ...{ instanceUrl: null, hasToken: true, createdAt: expect.any(String) },
    });
    expect(await stored(key.id)).toBe('sl-secret-1');
    expect((await run('sequencer-keys/update', { id: key.id, name: 'agency' })).key.name).toBe('agency');
    await run('sequencer-keys/set-token', { id: key.id, token: 'sl-secret-2' });
    expect(await stored(key.id)).toBe('sl-secret-2');
    expect((await run('sequencer-keys/list', { accountId: one.account.id })).keys).toEqual([
      { ...key, name: 'agency' },
    ]);
    expect((await run('sequencer-keys/list', { accountId: other.account.id })).keys).toEqual([]);
    const { rows } = await admin.ctx.db.query<{ text: string }>('select input::text as text from audit_log');
    expect(rows.map(({ text }) => text).join()).not.toContain('sl-secret');
  });

  test('refuses a taken name, an instance where there is none, and unknown keys', async () => {
    const { key } = await add('taken');
    expect(await expectRefusal('conflict', add('taken'))).toContain('set-token');
    const { key: second } = await add('second');
    await expectRefusal('conflict', run('sequencer-keys/update', { id: second.id, name: 'taken' }));
    await expectRefusal('invalid_input', add('third', { instanceUrl: 'https://send.example.com' }));
    await expectRefusal('invalid_input', run('sequencer-keys/update', { id: key.id }));
    const unknown = { id: 999_999, token: 'x' };
    expect(await expectRefusal('not_found', run('sequencer-keys/set-token', unknown))).toContain('sequencer-keys list');
  });

  test('block lists: use a key of their account and platform until they get a token of their own', async () => {
    const { key } = await add('for lists');
    const { key: ofLemlist } = await add('of lemlist', { platform: 'lemlist' });
    const { key: ofOther } = await add('of another account', { accountId: other.account.id });
    await expectRefusal('invalid_input', run('blocklists/add', list({})));
    await expectRefusal('invalid_input', run('blocklists/add', list({ sequencerKeyId: key.id, sequencerToken: 'x' })));
    await expectRefusal('conflict', run('blocklists/add', list({ sequencerKeyId: ofLemlist.id })));
    await expectRefusal('conflict', run('blocklists/add', list({ sequencerKeyId: ofOther.id })));
    const { blocklist } = await run('blocklists/add', list({ sequencerKeyId: key.id }));
    const keyOf = async () => {
      const { rows } = await admin.ctx.db.query('select sequencer_key_id as id from blocklists where id = $1', [
        blocklist.id,
      ]);
      return rows[0];
    };
    expect(await keyOf()).toEqual({ id: key.id });
    await run('blocklists/set-token', { blocklistId: blocklist.id, sequencerToken: 'own' });
    expect(await keyOf()).toEqual({ id: null });
    await expectRefusal('conflict', run('blocklists/update', { id: blocklist.id, sequencerKeyId: ofOther.id }));
    await run('blocklists/update', { id: blocklist.id, sequencerKeyId: key.id });
    expect(await keyOf()).toEqual({ id: key.id });
    const removal = { id: key.id, isConfirmed: true };
    expect(await run('sequencer-keys/remove', removal)).toMatchObject({ kept: { 'block lists': 1 } });
    expect(await keyOf()).toEqual({ id: null });
  });

  test('a key whose encryption key is lost is re-encrypted, discarded and stored again like every secret', async () => {
    const { key } = await add('lost');
    await admin.ctx.db.query('update sequencer_keys set token = $2 where id = $1', [key.id, 'gone.v2.xxxx']);
    const place = { kind: 'sequencer key', id: key.id };
    expect((await run('secrets/reencrypt', {})).unreadable).toContainEqual(place);
    expect((await run('secrets/discard', { isConfirmed: true })).discarded).toContainEqual(place);
    const { keys } = await run('sequencer-keys/list', {});
    expect(keys.find(({ id }) => id === key.id)).toMatchObject({ hasToken: false });
  });

  test('an account is removed with its keys', async () => {
    const { account } = await run('accounts/create', { email: 'third@example.com' });
    await add('main', { accountId: account.id });
    const removed = await run('accounts/remove', { id: account.id, isConfirmed: true });
    expect(removed.deleted).toMatchObject({ 'sequencer keys': 1 });
  });
});
