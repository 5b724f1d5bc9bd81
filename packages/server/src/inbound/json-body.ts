import { parseReceivedJson } from '@svc/domain/syncs/inbound-post';

/** Parses a body as it was received; a byte order mark in front is passed over. Throws SyntaxError. */
export function parseJson(bytes: Buffer): unknown {
  return parseReceivedJson(bytes.toString('utf8'));
}
