/** Posts of sequencers to source URLs: what is kept, acknowledged and enqueued, and what is refused. */
import { bodyTooLarge } from '@svc/domain/errors/errors';
import {
  assertInboundBody,
  INBOUND_BODY_BYTES_MAX,
  keptInboundHeaders,
  noSuchSource,
  parseReceivedJson,
} from '@svc/domain/syncs/inbound-post';
import type { SourceRow } from '@svc/domain/world';
import { hashBody } from '@svc/sequencers';
import type { MockRequest, Reply } from '../core/call.ts';
import { nextLogId } from '../core/ids.ts';
import { addRow } from '../core/log.ts';
import { remember } from '../core/remember.ts';
import { assertDecoded } from '../core/request-body.ts';
import { connectionsById } from '../core/rows.ts';
import { updateData, type World } from '../core/world.ts';
import { addJob, type RequestRow } from '../core/world-data.ts';

const sourcesByPath = remember(
  (sources: readonly SourceRow[]) => new Map(sources.map((source) => [source.path, source])),
);

/** The source behind an ingress code, or `hubId/ownerId`. */
export function findSourceByPath({ state }: World, path: string): SourceRow | undefined {
  return sourcesByPath(state.data.sources).get(path);
}

/**
 * @param path behind `/webhooks/`, as it was sent
 * @throws ApiError 404 for an unknown code, 415, 413, 400
 */
export function receivePost(world: World, path: string, { headers, body }: MockRequest, now: Date): Reply {
  const source = findSourceByPath(world, path);
  const { data } = world.state;
  const connection = source && connectionsById(data.connections).get(source.connectionId);
  if (source === undefined || connection === undefined) throw noSuchSource();
  if (body.length > 0) assertDecoded(headers);
  if (body.length > INBOUND_BODY_BYTES_MAX) throw bodyTooLarge(INBOUND_BODY_BYTES_MAX);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  assertInboundBody(text);
  const kept = keptInboundHeaders(headers);
  const parsed = parseReceivedJson(text);
  const request: RequestRow = {
    id: nextLogId(data.requests),
    accountId: connection.accountId,
    connectionId: connection.id,
    sourceId: source.id,
    path,
    // Until it is processed, which is at once.
    outcome: 'ignored',
    body: isJsonObject(parsed) ? parsed : null,
    received: { text, contentType: kept['content-type'] ?? null },
    createdAt: now,
  };
  const work = { kind: 'process-request', requestId: request.id, headers: kept, bodyHash: hashBody(body) } as const;
  updateData(world, addJob({ ...data, requests: addRow(data.requests, request) }, work, now));
  return { json: { received: true, requestId: request.id } };
}

function isJsonObject(value: unknown): value is NonNullable<RequestRow['body']> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
