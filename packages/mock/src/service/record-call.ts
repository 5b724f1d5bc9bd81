/** Records calls in the journal, without secrets. */
import type { Branding } from '@svc/domain/pages/branding';
import type { JournalEntry } from '../state/traffic.ts';
import type { MockRequest } from './call.ts';
import { type HideSecrets, secretHider } from './secrets.ts';

export interface CallToRecord extends Omit<JournalEntry, 'createdAt' | 'method' | 'headers' | 'body'> {
  readonly request: MockRequest;
  readonly now: Date;
  readonly branding: Branding;
}

/** Returns the entry of a call, without secrets. */
export function toEntry({ request, now, branding, ...known }: CallToRecord): JournalEntry {
  const hideSecrets = secretHider(branding);
  return {
    ...known,
    createdAt: now,
    method: request.method,
    path: hideSecrets(known.path),
    query: hideInQuery(known.query, hideSecrets),
    headers: withoutSecrets(request.headers, hideSecrets),
    body: readBody(request.body, hideSecrets),
  };
}

/** Headers that hold credentials, of the mock or of a proxy in front of it. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'cookie',
  'proxy-authorization',
  'svc-control-token',
  'x-api-key',
]);

/** Masks secrets. The header `authorization` keeps only its scheme, and nothing when it has none. */
function withoutSecrets(headers: MockRequest['headers'], hideSecrets: HideSecrets): JournalEntry['headers'] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (name === 'authorization') return [name, /^(\S+)\s/.exec(value)?.[1] ?? ''];
      return [name, SECRET_HEADERS.has(name) ? '***' : hideSecrets(value)];
    }),
  );
}

function hideInQuery(query: JournalEntry['query'], hideSecrets: HideSecrets): JournalEntry['query'] {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      typeof value === 'string' ? hideSecrets(value) : value.map(hideSecrets),
    ]),
  );
}

function readBody(bytes: Uint8Array, hideSecrets: HideSecrets): unknown {
  if (bytes.length === 0) return undefined;
  const text = hideSecrets(new TextDecoder().decode(bytes));
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
