import { meResponse } from '@svc/domain/account/me';
import { authorizedHandler } from '../call.ts';
import { visibleConnections } from './connections.ts';

export const getMe = authorizedHandler(({ world, access, account, key, urls, now }) => ({
  json: meResponse({
    account,
    key,
    connections: visibleConnections(world.state.data, access),
    urls: { apiUrl: urls.api, docsUrl: urls.docs },
    now,
  }),
}));
