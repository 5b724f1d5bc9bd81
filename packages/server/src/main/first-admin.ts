/** The link with which the first admin signs in to the dashboard. */
import type { Config } from '@svc/engine/config/config';
import type { Context } from '@svc/engine/context';
import { INVITATION_MINUTES, invite } from '@svc/operations/implemented/users';
import { FIRST_ADMIN, needsFirstAdmin } from '@svc/operations/store/users';

const DEMO_ADMIN = 'demo@localhost';

/**
 * Returns the line with a link that signs in once: always for a demo, and else for a person at a terminal while nobody has signed in.
 * The line must not get into a log that is kept.
 */
export async function inviteFirstAdmin({
  ctx,
  config: { dashboard, roles },
  isDemo,
  isTerminal,
}: {
  ctx: Pick<Context, 'db' | 'clock' | 'randomBytes' | 'urls'>;
  config: Pick<Config, 'dashboard' | 'roles'>;
  isDemo: boolean;
  isTerminal: boolean;
}): Promise<string[]> {
  if (dashboard === 'off' || !roles.has('api')) return [];
  if (!isDemo && !(isTerminal && (await needsFirstAdmin(ctx.db)))) return [];
  const { link } = await invite(ctx, { email: isDemo ? DEMO_ADMIN : FIRST_ADMIN, role: 'admin' });
  return [`Sign in to the dashboard (once, within ${INVITATION_MINUTES} minutes): ${link}`];
}
