import * as z from 'zod';
import { setCanUseWebhooks } from '../store/accounts.ts';
import { updateConnection } from '../store/connections.ts';
import { type AdminAccount, toAdminAccount } from './accounts.ts';
import { invalidInput, noSuch } from './admin-error.ts';
import { type AdminConnection, requireUpdated, switchFields, switches, toAdminConnection } from './connections.ts';
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
    const changes = switchFields(input);
    const hasSwitches = Object.values(changes).some((value) => value !== undefined);
    if (connectionId !== undefined && accountId === undefined && canUseWebhooks === undefined && hasSwitches) {
      return {
        connection: toAdminConnection(
          await requireUpdated(updateConnection(ctx.db, connectionId, changes), connectionId),
        ),
      };
    }
    if (accountId !== undefined && connectionId === undefined && canUseWebhooks !== undefined && !hasSwitches) {
      const account = await setCanUseWebhooks(ctx.db, accountId, canUseWebhooks);
      if (!account) throw noSuch('account', accountId);
      return { account: toAdminAccount(account) };
    }
    throw invalidInput(
      'Name either a connection with at least one of api, sync, destinations and blocklists, or an account with webhooks.',
    );
  },
);
