import * as z from 'zod';
import type { StoredSession } from '../store/user-sessions.ts';
import { USER_ROLES } from '../store/user-roles.ts';
import type { StoredUser } from '../store/users.ts';
import { declare, flagged, list, noun, notices, one } from './declare.ts';
import { email, id, oneOf } from './fields.ts';
import { confirmed, countOf } from './removal.ts';
import { renderTable } from './table.ts';

const role = z.enum(USER_ROLES, `must be one of ${USER_ROLES.join(', ')}`);

export const inviteUser = declare({
  name: 'users/invite',
  description: 'make a link that signs a user in once, also after a forgotten password',
  details:
    'The link is valid for 30 minutes and for one use. Inviting a user again makes a new link, and the earlier one becomes invalid. The first user is an admin, later ones are viewers unless `--role` says otherwise.',
  example: 'kim@example.com --role admin',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({
    email: email.meta(flagged('<email>', 'address of the user, unique among users')),
    role: role.optional().meta(flagged('--role <role>', 'what the user may do; a viewer only reads')),
  }),
  result: { user: one<StoredUser>(), link: one<string>(), expiresAt: one<Date>(), notices },
  print: ({ user, link, expiresAt }) => ({
    text: link,
    note: `The link on stdout signs in ${user.email} (${user.role}), once, until ${expiresAt}. Give it to nobody else.`,
  }),
});

export const listUsers = declare({
  name: 'users/list',
  description: 'list the users of the dashboard',
  permission: 'read',
  input: z.strictObject({}),
  result: { users: list<StoredUser>() },
  print: ({ users: rows }) =>
    renderTable(
      rows,
      {
        ID: 'id',
        EMAIL: 'email',
        ROLE: 'role',
        PASSWORD: 'hasPassword',
        OIDC: 'hasOidc',
        CREATED: 'createdAt',
        'LAST SIGN-IN': 'lastSignedInAt',
      },
      'There are no users yet: invite one with svc-server users invite EMAIL.',
    ),
});

export const updateUser = declare({
  name: 'users/update',
  description: 'change the role or the address of a user',
  details: 'It applies to running sessions too. The last admin keeps the role.',
  example: '3 --role viewer',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({
    id: oneOf('user'),
    role: role.optional().meta(flagged('--role <role>', 'what the user may do; a viewer only reads')),
    email: email.optional().meta(flagged('--email <email>', 'new address, with which the user signs in')),
  }),
  result: { user: one<StoredUser>() },
  print: ({ user }) => `User ${user.id} is ${user.email} (${user.role}).`,
});

export const removeUser = declare({
  name: 'users/remove',
  description: 'remove a user and end their sessions; without --yes only says what would be deleted',
  details: 'Exits with 1 without `--yes`. The last admin cannot be removed. The audit log keeps what the user did.',
  example: '3 --yes',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({ id: oneOf('user'), isConfirmed: confirmed('confirm the removal') }),
  result: { id: one<number>(), endedSessions: one<number>() },
  print: ({ id: removed, endedSessions }) => `Removed user ${removed} with ${countOf(endedSessions, 'sessions')}.`,
});

export const listUserSessions = declare({
  name: 'users/sessions',
  description: 'list the sessions of users in their browsers',
  details: '`lastUsedAt` is accurate to a minute.',
  example: '--user 3',
  permission: 'read',
  input: z.strictObject({ userId: id.optional().meta(flagged('--user <id>', 'only of this user')) }),
  result: { sessions: list<StoredSession>() },
  print: ({ sessions: rows }) =>
    renderTable(
      rows,
      {
        ID: 'id',
        USER: 'userId',
        DEVICE: 'device',
        ADDRESS: 'address',
        BEGUN: 'createdAt',
        'LAST USED': 'lastUsedAt',
        EXPIRES: 'expiresAt',
      },
      'Nobody is signed in.',
    ),
});

export const endUserSessions = declare({
  name: 'users/end-sessions',
  description: 'sign a user out in all browsers, or in one',
  example: '3',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({
    id: oneOf('user'),
    sessionId: id.optional().meta(flagged('--session <id>', 'only this session, as users sessions shows it')),
  }),
  result: { id: one<number>(), endedSessions: one<number>() },
  print: ({ id: user, endedSessions }) => `Ended ${countOf(endedSessions, 'sessions')} of user ${user}.`,
});

export const users = noun('users', 'users of the dashboard', [
  inviteUser,
  listUsers,
  updateUser,
  removeUser,
  listUserSessions,
  endUserSessions,
]);
