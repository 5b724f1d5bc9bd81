import * as z from 'zod';
import { setCanUseWebhooks } from '../store/accounts.ts';
import { updateConnection } from '../store/connections.ts';
import { type AdminAccount, toAdminAccount } from './accounts.ts';
import { invalidInput, noSuch } from './admin-error.ts';
import { type AdminConnection, changed, switchColumns, switches, toAdminConnection } from './connections.ts';
import { id } from './fields.ts';
import { adminOperation } from './operation.ts';

const change = z.strictObject({
  connectionId: id.optional(),
  ...switches,
  accountId: id.optional(),
  canUseWebhooks: z.boolean().optional(),
});

/** Switches features of one connection or account on and off; unnamed ones stay unchanged. */
export const setCapabilities = adminOperation(
  change,
  async (ctx, input): Promise<{ connection: AdminConnection } | { account: AdminAccount }> => {
    const { connectionId, accountId, canUseWebhooks } = input;
    const columns = switchColumns(input);
    const hasColumns = Object.keys(columns).length > 0;
    if (connectionId !== undefined && accountId === undefined && canUseWebhooks === undefined && hasColumns) {
      return {
        connection: toAdminConnection(await changed(updateConnection(ctx.db, connectionId, columns), connectionId)),
      };
    }
    if (accountId !== undefined && connectionId === undefined && canUseWebhooks !== undefined && !hasColumns) {
      const account = await setCanUseWebhooks(ctx.db, accountId, canUseWebhooks);
      if (!account) throw noSuch('account', accountId);
      return { account: toAdminAccount(account) };
    }
    throw invalidInput(
      'Name either a connection with at least one of api, sync, destinations and blocklists, or an account with webhooks.',
    );
  },
);
