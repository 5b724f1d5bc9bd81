/** Write policies of sources and connections: set, inherited part by part, shown with where they come from, and removed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Administration, expectRefusal, makePipeline, openAdministration } from '../support/admin-harness.ts';
import { anyBackend } from '@svc/engine/test/backends';

const PARTS = ['create', 'events', 'holdUntil', 'owner', 'associations', 'fields', 'lastValues', 'outcomes'];
const BY_DEFAULT = Object.fromEntries(PARTS.map((part) => [part, 'default']));

describe('write policies', () => {
  let admin: Administration;
  let run: Administration['run'];
  let count = 0;
  beforeAll(async () => {
    admin = await openAdministration(anyBackend);
    ({ run } = admin);
  });
  afterAll(async () => {
    await admin.close();
  });

  const pipeline = async () => {
    count += 1;
    const { connection, source } = await makePipeline(admin, `user${count}@example.com`);
    return { connectionId: connection.id, sourceId: source.id };
  };
  const origins = ({ parts }: { parts: readonly { name: string; from: string; version: number | null }[] }) =>
    Object.fromEntries(parts.map(({ name, from, version }) => [name, version === null ? from : `${from} ${version}`]));

  test('show: without a policy the defaults and the switches hold', async () => {
    const { sourceId, connectionId } = await pipeline();
    const shown = await run('sources/show-policy', { id: sourceId });
    expect(shown.policy).toEqual({
      ...{ create: 'always', events: [], holdUntil: null, owner: null, fields: [], lastValues: false, outcomes: [] },
      associations: { company: false, deal: false },
    });
    expect(origins(shown)).toEqual({ ...BY_DEFAULT, owner: 'switches' });
    expect(shown.switches).toMatchObject({ assignContactOwner: false, writeStateFields: false });
    await run('sources/update', { id: sourceId, assignContactOwner: true });
    const switched = await run('sources/show-policy', { id: sourceId });
    expect(switched.policy.owner).toMatchObject({ contact: 'if-empty', activities: true });
    const inherited = await run('connections/show-policy', { id: connectionId });
    expect(inherited).toMatchObject({ policy: { create: 'always', owner: null }, switches: null });
  });

  test('a source inherits the parts that its own policy does not have', async () => {
    const { sourceId, connectionId } = await pipeline();
    await run('connections/set-policy', { id: connectionId, policy: { create: 'never', owner: { fallback: '7' } } });
    await run('connections/set-policy', {
      id: connectionId,
      policy: { create: 'on-reply', owner: { fallback: '7' } },
    });
    expect((await run('sources/set-policy', { id: sourceId, policy: { create: 'never' } })).version).toBe(1);
    const shown = await run('sources/show-policy', { id: sourceId });
    expect(shown.policy).toMatchObject({ create: 'never', owner: { fallback: '7' } });
    expect(origins(shown)).toEqual({
      ...BY_DEFAULT,
      create: 'source policy 1',
      owner: 'connection policy 2',
    });
  });

  test('set with null: removes the policy as a version, and only once', async () => {
    const { sourceId } = await pipeline();
    await run('sources/set-policy', { id: sourceId, policy: { create: 'never' } });
    expect(await run('sources/set-policy', { id: sourceId, policy: null })).toMatchObject({ version: 2 });
    expect((await run('sources/show-policy', { id: sourceId })).policy.create).toBe('always');
    const { versions } = await run('sources/policies', { id: sourceId });
    expect(versions.map((row) => [row.version, row.policy])).toEqual([
      [2, null],
      [1, { create: 'never' }],
    ]);
    expect(await expectRefusal('conflict', run('sources/set-policy', { id: sourceId, policy: null }))).toBe(
      `Source ${sourceId} has no write policy to remove.`,
    );
  });

  test('set: a wrong policy is refused with the place, and stores nothing', async () => {
    const { sourceId, connectionId } = await pipeline();
    const wrong = { id: sourceId, policy: { crate: 'never', events: [{ write: ['timline'] }] } };
    const message = await expectRefusal('invalid_input', admin.runUnchecked('sources/set-policy', wrong));
    expect(message).toContain('policy.crate: is no key here: did you mean create?');
    expect(message).toContain('policy.events.0.write.0: must be one of timeline, fields, task: did you mean timeline?');
    expect((await run('sources/policies', { id: sourceId })).versions).toEqual([]);
    expect((await run('connections/policies', { id: connectionId })).versions).toEqual([]);
  });

  test('set and check: what is surely wrong is said with the CRM and the switches of the source', async () => {
    const { sourceId, connectionId } = await pipeline();
    const policy = { events: [{ write: ['task'] }], owner: { fallback: 'Kim' } };
    const { notices } = await run('sources/set-policy', { id: sourceId, policy });
    expect(notices[0]).toContain('the source makes no tasks');
    expect(notices[1]).toContain('which is a number (HUBSPOT)');
    expect(notices[2]).toContain(`requests reprocess --source ${sourceId}`);
    expect((await run('sources/check-policy', { policy, sourceId })).notices).toEqual(notices.slice(0, 2));
    expect((await run('connections/set-policy', { id: connectionId, policy })).notices).toEqual([notices[1]]);
  });

  test('sources and connections that do not exist are named', async () => {
    for (const name of ['sources/show-policy', 'sources/policies'] as const) {
      expect(await expectRefusal('not_found', run(name, { id: 999_999 }))).toContain('no source 999999');
    }
    await expectRefusal('not_found', run('sources/set-policy', { id: 999_999, policy: {} }));
    await expectRefusal('not_found', run('sources/check-policy', { policy: {}, sourceId: 999_999 }));
    await expectRefusal('not_found', run('connections/show-policy', { id: 999_999 }));
  });

  test('the audit log has who set which policy, and nothing of what was only shown or checked', async () => {
    const { sourceId } = await pipeline();
    await run('sources/set-policy', { id: sourceId, policy: { create: 'never' } });
    await run('sources/show-policy', { id: sourceId });
    await run('sources/check-policy', { policy: {} });
    const { entries } = await run('audit/list', {});
    expect(entries[0]).toMatchObject({
      operation: 'sources/set-policy',
      input: { id: sourceId, policy: { create: 'never' } },
      outcome: 'done',
    });
    expect(entries.map(({ operation }) => operation)).not.toContain('sources/check-policy');
  });
});
