import * as declared from '../declared/capabilities.ts';
import { setCanUseWebhooks } from '../store/accounts.ts';
import { updateConnection } from '../store/connections.ts';
import { invalidInput, noSuch } from './admin-error.ts';
import { requireUpdated, switchFields, toAdminConnection } from './connections.ts';
import { implement } from './operation.ts';

/** Switches features of one connection or account on and off; unnamed ones stay unchanged. */
export const setCapabilities = implement(declared.setCapabilities, async (ctx, input) => {
  const { connectionId, accountId, canUseWebhooks } = input;
  const changes = switchFields(input);
  const hasSwitches = Object.values(changes).some((value) => value !== undefined);
  if (connectionId !== undefined && accountId === undefined && canUseWebhooks === undefined && hasSwitches) {
    const row = await requireUpdated(updateConnection(ctx.db, connectionId, changes), connectionId);
    return { connection: toAdminConnection(row), account: undefined };
  }
  if (accountId !== undefined && connectionId === undefined && canUseWebhooks !== undefined && !hasSwitches) {
    const account = await setCanUseWebhooks(ctx.db, accountId, canUseWebhooks);
    if (!account) throw noSuch('account', accountId);
    return { connection: undefined, account };
  }
  throw invalidInput(
    'Name either a connection with at least one of api, sync, destinations and blocklists, or an account with webhooks.',
  );
});
