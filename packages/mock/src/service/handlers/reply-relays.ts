import { toReplyRelay } from '@svc/domain/resources';
import { authorizedHandler } from '../call.ts';
import { ofConnections } from './log-query.ts';

export const listReplyRelays = authorizedHandler(({ world, access }) => {
  const rows = world.state.data.replyRelays.filter(ofConnections(access.connectionIds));
  return { json: { replyRelays: rows.map(toReplyRelay) } };
});
