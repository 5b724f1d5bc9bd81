/** The link that a start prints for the first admin. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROLES, type Role } from '@svc/engine/config/roles';
import { anyBackend } from '@svc/engine/test/backends';
import { inviteFirstAdmin } from '../../src/main/first-admin.ts';
import { type Administration, openAdministration } from '../support/admin-harness.ts';

let admin: Administration;
beforeEach(async () => {
  admin = await openAdministration(anyBackend);
});
afterEach(() => admin.close());

const config = { dashboard: 'on', roles: new Set<Role>(ROLES) } as const;
const atTerminal = { config, isDemo: false, isTerminal: true };
const begin = (options: Omit<Parameters<typeof inviteFirstAdmin>[0], 'ctx'>) =>
  inviteFirstAdmin({ ...options, ctx: admin.ctx });
const emails = async () => (await admin.run('users/list', {})).users.map(({ email, role }) => [email, role]);

test('at a terminal, each start prints a new link until somebody has signed in or is invited', async () => {
  const form =
    /^Sign in to the dashboard \(once, within 30 minutes\): https:\/\/svc\.example\.com\/dashboard\/welcome#\/invitation\/[\w-]{43}$/;
  const [first, second] = [await begin(atTerminal), await begin(atTerminal)];
  expect([first, second]).toEqual([[expect.stringMatching(form)], [expect.stringMatching(form)]]);
  expect(first).not.toEqual(second);
  expect(await emails()).toEqual([['admin@localhost', 'admin']]);
  await admin.run('users/invite', { email: 'kim@example.com' });
  expect(await begin(atTerminal)).toEqual([]);
});

test('without a terminal nothing is printed and nobody invited', async () => {
  expect(await begin({ ...atTerminal, isTerminal: false })).toEqual([]);
  expect(await emails()).toEqual([]);
});

test('a demo always prints a link', async () => {
  await admin.run('users/invite', { email: 'kim@example.com' });
  expect(await begin({ ...atTerminal, isDemo: true, isTerminal: false })).toHaveLength(1);
  expect(await emails()).toEqual([
    ['kim@example.com', 'admin'],
    ['demo@localhost', 'admin'],
  ]);
});

test('a process without the dashboard prints none', async () => {
  expect(await begin({ ...atTerminal, isDemo: true, config: { ...config, dashboard: 'off' } })).toEqual([]);
  expect(await begin({ ...atTerminal, config: { ...config, roles: new Set<Role>(['worker']) } })).toEqual([]);
  expect(await emails()).toEqual([]);
});
