/**
 * The opaque `cursor` of a paged list (`listSyncs`, `listEvents`, ...).
 *
 * The rule: a cursor holds the kind of rows and the position of the last row returned (`createdAt` and `id`), as base64url
 * without padding. Each position has exactly one spelling. A text that does not decode to a position of these rows, or does
 * not encode back to the same text, is malformed: 400.
 */
import { LIMITS } from '@svc/contract/limits';
import { PREFIXES } from '@svc/contract/vocabulary';
import { badRequest } from '../errors/errors.ts';
import { parseScalar, type RawParameter } from './parameters.ts';

/** The id type of each kind of paged rows. Lists of the same rows share their cursors. */
export interface CursorIds {
  request: number;
  sync: number;
  delivery: number;
  event: string;
  'webhook-delivery': string;
}
export type CursorRows = keyof CursorIds;

/** The position of a row in a list that is sorted newest first. */
export interface Position<Id extends number | string = number | string> {
  readonly createdAt: Date;
  readonly id: Id;
}

/** The last instant a cursor can hold: the end of 9999, in milliseconds. */
const LATEST_INSTANT_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Longer text is refused without decoding it. Real cursors are much shorter. */
const CURSOR_MAX_LENGTH = 256;

const parseNumberId = (text: string): number | undefined =>
  /^[1-9][0-9]*$/.test(text) && Number(text) <= LIMITS.integerIdMax ? Number(text) : undefined;

const parsePrefixedId =
  (prefix: string) =>
  (text: string): string | undefined =>
    text.startsWith(prefix) && /^[\w-]{1,64}$/.test(text.slice(prefix.length)) ? text : undefined;

const CODECS: { readonly [Rows in CursorRows]: (text: string) => CursorIds[Rows] | undefined } = {
  request: parseNumberId,
  sync: parseNumberId,
  delivery: parseNumberId,
  event: parsePrefixedId(PREFIXES.event),
  'webhook-delivery': parsePrefixedId(PREFIXES.webhookDelivery),
};

/**
 * Returns the cursor that continues below a row.
 * @throws RangeError when the position is invalid, which is a bug of the caller
 */
export function encodeCursor<Rows extends CursorRows>(cursor: {
  readonly rows: Rows;
  readonly createdAt: Date;
  readonly id: CursorIds[Rows];
}): string {
  const text = `${cursor.rows}:${cursor.createdAt.getTime()}:${cursor.id}`;
  if (parsePosition(cursor.rows, text) === undefined) throw new RangeError(`not a position of a list: ${text}`);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Returns the position in a cursor of these rows. @throws ApiError 400 when it is malformed */
export function decodeCursor<Rows extends CursorRows>(rows: Rows, text: string): Position<CursorIds[Rows]> {
  const position = parsePosition(rows, decodeBase64Url(text));
  if (position === undefined || encodeCursor({ rows, ...position }) !== text) {
    throw badRequest('cursor is malformed: send nextCursor of a page of this list unchanged, or leave cursor out');
  }
  return position;
}

/** Parses the `cursor` parameter; undefined when it was not sent. @throws ApiError 400 when repeated, empty or malformed */
export function parseCursor<Rows extends CursorRows>(
  rows: Rows,
  raw: RawParameter,
): Position<CursorIds[Rows]> | undefined {
  const text = parseScalar('cursor', raw);
  return text === undefined ? undefined : decodeCursor(rows, text);
}

function parsePosition<Rows extends CursorRows>(rows: Rows, text: string): Position<CursorIds[Rows]> | undefined {
  const [name, instant, idText, ...rest] = text.split(':');
  if (name !== rows || instant === undefined || idText === undefined || rest.length > 0) return undefined;
  if (!/^(0|[1-9][0-9]{0,15})$/.test(instant) || Number(instant) > LATEST_INSTANT_MS) return undefined;
  const id = CODECS[rows](idText);
  return id === undefined ? undefined : { createdAt: new Date(Number(instant)), id };
}

/** Decodes to a string of bytes; returns the empty string, which is not a position, for invalid text. */
function decodeBase64Url(text: string): string {
  if (text.length > CURSOR_MAX_LENGTH || !/^[0-9A-Za-z_-]+$/.test(text)) return '';
  // `atob` throws for a length of 4n + 1.
  return text.length % 4 === 1 ? '' : atob(text.replaceAll('-', '+').replaceAll('_', '/'));
}
