/** Receives posts of sequencers to source URLs. */
import { bodyTooLarge } from '@svc/domain/errors/errors';
import {
  INBOUND_BODY_BYTES_MAX,
  noSuchSource,
  notAuthentic,
  parseInboundBody,
  pickInboundHeaders,
  pickInboundParameters,
} from '@svc/domain/syncs/inbound-post';
import { secretHeaders } from '@svc/domain/syncs/source-secret';
import type { SourceRow } from '@svc/domain/world';
import { hashBody } from '@svc/sequencers';
import { verifyPost } from '@svc/sequencers/authenticity';
import { nextLogId } from '../../state/ids.ts';
import { addRow } from '../../state/log.ts';
import { memoize } from '../../state/memoize.ts';
import { connectionsById } from '../../state/row-indexes.ts';
import { addJob, type RequestRow } from '../../state/world-data.ts';
import { updateData, type World } from '../../state/world.ts';
import type { MockRequest, Reply } from '../call.ts';
import { assertDecoded } from '../request-body.ts';

const sourcesByPath = memoize(
  (sources: readonly SourceRow[]) => new Map(sources.map((source) => [source.path, source])),
);

/** Finds a source by its ingress code or `hubId/ownerId`. */
export function findSourceByPath({ state }: World, path: string): SourceRow | undefined {
  return sourcesByPath(state.data.sources).get(path);
}

/**
 * Stores the request, enqueues its processing and acknowledges it.
 * @param path the part after `/webhooks/`, as sent
 * @throws ApiError 400, 401, 404, 413, 415
 */
export function receivePost(world: World, path: string, received: MockRequest, now: Date): Reply {
  const { headers, body } = received;
  const source = findSourceByPath(world, path);
  const { data } = world.state;
  const connection = source && connectionsById(data.connections).get(source.connectionId);
  if (source === undefined || connection === undefined) throw noSuchSource();
  if (body.length > 0) assertDecoded(received);
  if (body.length > INBOUND_BODY_BYTES_MAX) throw bodyTooLarge(INBOUND_BODY_BYTES_MAX);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const parsed = parseInboundBody(text, headers['content-type']);
  if (verifyPost(source.secrets, { headers, body, json: parsed }, now) !== 'ok') throw notAuthentic();
  const kept = {
    ...pickInboundHeaders(headers, secretHeaders(source.secrets)),
    ...pickInboundParameters(received.target),
  };
  const request: RequestRow = {
    id: nextLogId(data.requests),
    accountId: connection.accountId,
    connectionId: connection.id,
    sourceId: source.id,
    path,
    // Replaced when the request is processed.
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
