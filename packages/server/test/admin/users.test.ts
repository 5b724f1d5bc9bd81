/** Administration of the users of the dashboard. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backends } from '@svc/engine/test/backends';
import { hashToken } from '@svc/operations/implemented/users';
import { insertSession } from '@svc/operations/store/user-sessions';
import { type Administration, expectRefusal, NOW, openAdministration } from '../support/admin-harness.ts';

describe.each(backends)('administration of users on $name', (backend) => {
  describe.skipIf(!backend.isAvailable)('operations', () => {
    let admin: Administration;
    let run: Administration['run'];
    beforeAll(async () => {
      admin = await openAdministration(backend);
      ({ run } = admin);
    });
    afterAll(() => admin.close());

    const beginSession = async (userId: number, token: string) =>
      insertSession(admin.ctx.db, {
        ...{ userId, tokenHash: hashToken(token), createdAt: NOW, signedInAt: NOW, lastUsedAt: NOW },
        expiresAt: new Date(NOW.getTime() + 60_000),
        ...{ device: 'Firefox on Linux', address: '127.0.0.1' },
      });

    test('the first user is an admin, later ones are viewers unless something else is said', async () => {
      const first = await run('users/invite', { email: 'kim@example.com' });
      expect(first).toEqual({
        user: {
          ...{ id: expect.any(Number), email: 'kim@example.com', role: 'admin', createdAt: NOW.toISOString() },
          ...{ lastSignedInAt: null, hasPassword: false, hasOidc: false },
        },
        link: expect.stringMatching(/^https:\/\/svc\.example\.com\/dashboard\/welcome#\/invitation\/[\w-]{43}$/),
        expiresAt: '2026-03-31T12:30:00.000Z',
        notices: [],
      });
      expect((await run('users/invite', { email: 'lin@example.com' })).user.role).toBe('viewer');
      expect((await run('users/invite', { email: 'max@example.com', role: 'admin' })).user.role).toBe('admin');
    });

    test('only the hash of a token is stored, and inviting again replaces the link and keeps the role', async () => {
      const { user, link } = await run('users/invite', { email: 'again@example.com', role: 'admin' });
      const again = await run('users/invite', { email: 'AGAIN@example.com' });
      expect(again.user).toEqual(user);
      expect(again.link).not.toBe(link);
      const { rows } = await admin.ctx.db.query<{ tokenHash: Buffer }>(
        'select token_hash as "tokenHash" from user_invitations where user_id = $1',
        [user.id],
      );
      const token = again.link.split('/').at(-1) ?? '';
      expect(rows.map(({ tokenHash }) => Buffer.from(tokenHash).toString('hex'))).toEqual([
        hashToken(token).toString('hex'),
      ]);
    });

    test('an address has one user, also with concurrent invitations and changes', async () => {
      const invited = await Promise.all([
        run('users/invite', { email: 'twin@example.com' }),
        run('users/invite', { email: 'TWIN@example.com' }),
      ]);
      expect(new Set(invited.map(({ user }) => user.id)).size).toBe(1);
      const { user } = await run('users/invite', { email: 'other@example.com' });
      const message = await expectRefusal('conflict', run('users/update', { id: user.id, email: 'Twin@example.com' }));
      expect(message).toMatch(/^User \d+ already has the address twin@example\.com\.$/i);
      expect((await run('users/update', { id: user.id, email: 'OTHER@example.com' })).user.email).toBe(
        'OTHER@example.com',
      );
    });

    test('sessions are listed without their token, and ended one by one or all', async () => {
      const { user } = await run('users/invite', { email: 'sessions@example.com' });
      const one = await beginSession(user.id, 'one');
      await beginSession(user.id, 'two');
      await beginSession(user.id, 'three');
      const listed = await run('users/sessions', { userId: user.id });
      expect(listed.sessions).toHaveLength(3);
      expect(Object.keys(listed.sessions[0] ?? {})).not.toContain('tokenHash');
      expect(await run('users/end-sessions', { id: user.id, sessionId: one.id })).toMatchObject({ endedSessions: 1 });
      await expectRefusal('not_found', run('users/end-sessions', { id: user.id, sessionId: one.id }));
      expect(await run('users/end-sessions', { id: user.id })).toMatchObject({ endedSessions: 2 });
      expect((await run('users/sessions', { userId: user.id })).sessions).toEqual([]);
    });

    test('a removal asks first, ends sessions and takes invitations with it', async () => {
      const { user } = await run('users/invite', { email: 'gone@example.com' });
      await beginSession(user.id, 'gone');
      expect(await expectRefusal('not_confirmed', run('users/remove', { id: user.id }))).toContain('ends 1 session.');
      expect(await run('users/remove', { id: user.id, isConfirmed: true })).toEqual({ id: user.id, endedSessions: 1 });
      expect(await expectRefusal('not_found', run('users/remove', { id: user.id, isConfirmed: true }))).toContain(
        `There is no user ${user.id}`,
      );
    });

    test('the last admin can neither be demoted nor removed, also when two are demoted at once', async () => {
      const admins = (await run('users/list', {})).users.filter(({ role }) => role === 'admin');
      expect(admins.length).toBeGreaterThan(1);
      const demoted = await Promise.allSettled(admins.map(({ id }) => run('users/update', { id, role: 'viewer' })));
      expect(demoted.filter(({ status }) => status === 'rejected')).toHaveLength(1);
      const [last] = (await run('users/list', {})).users.filter(({ role }) => role === 'admin');
      const id = last?.id ?? 0;
      const refusal = `User ${id} is the last admin: make another user an admin first.`;
      expect(await expectRefusal('conflict', run('users/remove', { id, isConfirmed: true }))).toBe(refusal);
      expect(await expectRefusal('conflict', run('users/invite', { email: last?.email ?? '', role: 'viewer' }))).toBe(
        refusal,
      );
    });
  });
});
