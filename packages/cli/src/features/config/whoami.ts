import type { MeResponse } from '@svc/sdk';
import type { Credentials } from '../../config/credentials.ts';
import type { RecordLine } from '../../format/record.ts';

export function whoamiLines({ account, apiKey, connections }: MeResponse, credentials: Credentials): RecordLine[] {
  const scope = apiKey.connectionId === null ? 'all connections' : `connection ${apiKey.connectionId} only`;
  return [
    { label: 'Account', text: `${account.email} (${account.id})` },
    { label: 'Key', text: `${apiKey.name}, from ${credentials.keySource ?? 'nowhere'}` },
    { label: 'Scopes', text: apiKey.scopes.join(', ') },
    { label: 'Access', text: scope },
    { label: 'Connections', text: connections.map(({ id, crm }) => `${id} ${crm}`).join(', ') || 'none' },
    { label: 'Service', text: `${credentials.baseUrl}, from ${credentials.baseUrlSource}` },
  ];
}
