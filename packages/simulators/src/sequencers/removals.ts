/**
 * How entries of block lists are found and removed, as the documentation has it; the source and date of each call are in
 * `sequencers/src/blocklists/<platform>.ts`.
 */
import type { WebhookCallReceived } from './webhooks.ts';

export interface SimulatedEntries {
  rows: readonly { id: number; value: string; clientId: string | null; drop: () => void }[];
  /** Whether the sequencer refuses to remove an entry. */
  isKept: (value: string) => boolean;
}

interface Reply {
  status: number;
  body: unknown;
}

type Platform = 'smartlead' | 'instantly' | 'emailbison' | 'lemlist' | 'reply-io';
type Remove = (call: WebhookCallReceived, entries: SimulatedEntries) => Reply;
type Row = SimulatedEntries['rows'][number];

const NOT_FOUND: Reply = { status: 404, body: { message: 'Not found' } };
const KEPT: Reply = { status: 422, body: { message: 'The entry cannot be removed' } };

const isDomain = ({ value }: Row) => !value.includes('@');
const lastPart = ({ url }: WebhookCallReceived) => decodeURIComponent(url.pathname.split('/').at(-1) ?? '');

function drop(row: Row | undefined, { isKept }: SimulatedEntries, body: unknown): Reply {
  if (row === undefined) return NOT_FOUND;
  if (isKept(row.value)) return KEPT;
  row.drop();
  return { status: 200, body };
}

const asInstantly = (row: Row) => ({ id: `0190-${row.id}`, bl_value: row.value, is_domain: isDomain(row) });
const ofReplyIo = ({ url }: WebhookCallReceived, { rows }: SimulatedEntries) =>
  rows.filter((row) => isDomain(row) === url.pathname.includes('/domains'));
const ofEmailbison = ({ url }: WebhookCallReceived, { rows }: SimulatedEntries) =>
  rows.filter((row) => isDomain(row) === url.pathname.includes('/blacklisted-domains'));

const ROUTES: readonly [Platform, method: string, path: RegExp, Remove][] = [
  [
    'smartlead',
    'GET',
    /^\/api\/v1\/leads\/get-domain-block-list$/,
    ({ url }, { rows }) => {
      const text = url.searchParams.get('filter_email_or_domain') ?? '';
      const client = url.searchParams.get('filter_client_id');
      const found = rows.filter((row) => row.value.includes(text) && (client === null || row.clientId === client));
      const limit = Number(url.searchParams.get('limit') ?? 100);
      const offset = Number(url.searchParams.get('offset') ?? 0);
      const body = found.slice(offset, offset + limit).map(({ id, value, clientId }) => ({
        ...{ id, email_or_domain: value, created_at: '2026-03-01T12:00:00.000Z', source: 'api' },
        client_id: clientId === null ? null : Number(clientId),
      }));
      return { status: 200, body };
    },
  ],
  [
    'smartlead',
    'DELETE',
    /^\/api\/v1\/leads\/delete-domain-block-list$/,
    ({ url }, entries) =>
      drop(
        entries.rows.find(({ id }) => String(id) === url.searchParams.get('id')),
        entries,
        { ok: true },
      ),
  ],
  [
    'instantly',
    'GET',
    /^\/api\/v2\/block-lists-entries$/,
    ({ url }, { rows }) => {
      const search = url.searchParams.get('search') ?? '';
      const limit = Number(url.searchParams.get('limit') ?? 10);
      const found = rows.filter(({ value }) => value.includes(search)).map(asInstantly);
      const from = found.findIndex(({ id }) => id === url.searchParams.get('starting_after')) + 1;
      const items = found.slice(from, from + limit);
      const cursor = from + limit < found.length ? { next_starting_after: items.at(-1)?.id } : {};
      return { status: 200, body: { items, ...cursor } };
    },
  ],
  [
    'instantly',
    'DELETE',
    // Without an id, all entries are removed.
    /^\/api\/v2\/block-lists-entries\/?$/,
    (_call, { rows }) => {
      for (const row of rows) row.drop();
      return { status: 200, body: rows.map(asInstantly) };
    },
  ],
  [
    'instantly',
    'DELETE',
    /^\/api\/v2\/block-lists-entries\/[^/]+$/,
    (call, entries) => {
      const row = entries.rows.find((one) => asInstantly(one).id === lastPart(call));
      return drop(row, entries, row && asInstantly(row));
    },
  ],
  [
    'emailbison',
    'GET',
    /^\/api\/blacklisted-(?:emails|domains)\/[^/]+$/,
    (call, entries) => {
      const part = lastPart(call);
      const row = ofEmailbison(call, entries).find(({ id, value }) => value === part || String(id) === part);
      return row === undefined ? NOT_FOUND : { status: 200, body: { data: { id: row.id, email: row.value } } };
    },
  ],
  [
    'emailbison',
    'DELETE',
    /^\/api\/blacklisted-(?:emails|domains)\/[^/]+$/,
    (call, entries) => {
      const row = ofEmailbison(call, entries).find(({ id }) => String(id) === lastPart(call));
      return drop(row, entries, { data: { success: true } });
    },
  ],
  [
    'lemlist',
    'DELETE',
    /^\/api\/v2\/unsubscribes\/variables\/[^/]+$/,
    (call, { rows, isKept }) => {
      const part = lastPart(call);
      const row = rows.find(({ value }) => value === part);
      if (row === undefined) return { status: 400, body: 'Variable is not unsubscribed' };
      if (isKept(row.value)) return { status: 409, body: 'Variable is protected' };
      row.drop();
      return { status: 200, body: 'Variable subscribed' };
    },
  ],
  [
    'reply-io',
    'GET',
    /^\/v3\/contact-blacklist-rules\/(?:emails|domains)$/,
    (call, entries) => {
      const top = Number(call.url.searchParams.get('top') ?? 25);
      const skip = Number(call.url.searchParams.get('skip') ?? 0);
      const rows = ofReplyIo(call, entries);
      const items = rows.slice(skip, skip + top).map(({ id, value }) => ({ id, pattern: value, isGlobal: false }));
      return { status: 200, body: { items, hasMore: skip + top < rows.length } };
    },
  ],
  [
    'reply-io',
    'POST',
    /^\/v3\/contact-blacklist-rules\/(?:emails|domains)\/bulk-delete$/,
    (call, entries) => {
      const rows = ofReplyIo(call, entries);
      const { ids } = call.body;
      const errors: Record<string, { error: number }> = {};
      for (const id of Array.isArray(ids) ? ids : []) {
        const row = rows.find((one) => one.id === id);
        if (row === undefined) errors[String(id)] = { error: 1 };
        else if (entries.isKept(row.value)) errors[String(id)] = { error: 3 };
        else row.drop();
      }
      return { status: 200, body: errors };
    },
  ],
];

/** Returns what handles a call about entries that are to be removed; null for any other call. */
export function findRemoval(method: string, path: string): { platform: Platform; remove: Remove } | null {
  const route = ROUTES.find(([, ofMethod, pattern]) => ofMethod === method && pattern.test(path));
  return route === undefined ? null : { platform: route[0], remove: route[3] };
}
