import { toReplyRelay } from '@svc/domain/resources';
import { authorizedRoute } from '../answer.ts';
import * as relays from '@svc/engine/store/reply-relays';

export const listReplyRelays = authorizedRoute(async (ctx, { access }) => {
  const rows = await relays.listReplyRelays(ctx.db, access);
  return { json: { replyRelays: rows.map(toReplyRelay) } };
});
