import { HEADERS } from '@svc/contract/vocabulary';
import { parseHeaderPrefix } from '../options/header-prefix.ts';

export { DEFAULT_HEADER_PREFIX } from '../options/header-prefix.ts';

/** Names of the headers of a delivery. */
export interface WebhookHeaderNames {
  /** `t=<unix seconds>,v1=<hex>` */
  readonly signature: string;
  /** Id of the event. Not signed: use the id in the body. */
  readonly eventId: string;
  /** Id of the delivery, the same at every attempt. Not signed. */
  readonly deliveryId: string;
}

/**
 * Returns the names of the headers of a delivery. They begin with `Service-`; a hosted service uses its brand.
 *
 * @param prefix with or without its dash: `Acme` and `Acme-` both give `Acme-Signature`. Default `Service`
 * @throws ConfigurationError when no header name can begin with it
 */
export function webhookHeaderNames(prefix?: string): WebhookHeaderNames {
  const ownPrefix = parseHeaderPrefix(prefix);
  const named = (header: string) => header.replace(/^Service(?=-)/, () => ownPrefix);
  return {
    signature: named(HEADERS.signature),
    eventId: named(HEADERS.eventId),
    deliveryId: named(HEADERS.deliveryId),
  };
}

/** Headers of `fetch` or of Node. Names are compared case-insensitively. */
export type HeadersLike =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the value of a header; null when it is missing. */
export function readHeader(headers: HeadersLike, name: string): string | null {
  if (isHeadersObject(headers)) return headers.get(name);
  const wanted = name.toLowerCase();
  for (const [key, value] of Object.entries(headers)) {
    if (value === undefined || key.toLowerCase() !== wanted) continue;
    return typeof value === 'string' ? value : value.join(', ');
  }
  return null;
}

function isHeadersObject(headers: HeadersLike): headers is { get(name: string): string | null } {
  return 'get' in headers && typeof headers.get === 'function';
}
