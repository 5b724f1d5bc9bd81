import * as declared from '../declared/capabilities.ts';
import { setCanUseWebhooks } from '../store/accounts.ts';
import { updateConnection } from '../store/connections.ts';
import { existing, invalidInput } from './admin-error.ts';
import { switchFields, toAdminConnection } from './connections.ts';
import { implement } from './operation.ts';

export const setCapabilities = implement(declared.setCapabilities, async (ctx, input) => {
  const { connectionId, accountId, canUseWebhooks } = input;
  const changes = switchFields(input);
  const hasSwitches = Object.values(changes).some((value) => value !== undefined);
  if (connectionId !== undefined && accountId === undefined && canUseWebhooks === undefined && hasSwitches) {
    const row = await updateConnection(ctx.db, connectionId, changes);
    return { connection: toAdminConnection(existing(row, 'connection', connectionId)), account: undefined };
  }
  if (accountId !== undefined && connectionId === undefined && canUseWebhooks !== undefined && !hasSwitches) {
    const account = await setCanUseWebhooks(ctx.db, accountId, canUseWebhooks);
    return { connection: undefined, account: existing(account, 'account', accountId) };
  }
  throw invalidInput(
    'Name either a connection with at least one of api, sync, destinations and blocklists, or an account with webhooks.',
  );
});
