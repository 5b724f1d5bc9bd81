import { parseReceivedJson } from '@svc/domain/syncs/inbound-post';

/** Parses a received body, skipping a byte order mark. Throws SyntaxError. */
export function parseJson(bytes: Buffer): unknown {
  return parseReceivedJson(bytes.toString('utf8'));
}
