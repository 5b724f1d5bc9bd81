/**
 * Names of the headers of a webhook delivery (specification, "Events", delivery rule 1). The specification writes the maker's
 * brand as the neutral prefix `Service-`: a hosted service uses its own, so the prefix is an option wherever headers are read or made.
 */
import { HEADERS } from '@svc/contract/vocabulary';
import { parseHeaderPrefix } from '../options/header-prefix.ts';

export { DEFAULT_HEADER_PREFIX } from '../options/header-prefix.ts';

/** Names of the headers that come with a delivery. */
export interface WebhookHeaderNames {
  /** `t=<unix seconds>,v1=<hex>` */
  readonly signature: string;
  /** Id of the event, as in the body. Not signed: trust the body's. */
  readonly eventId: string;
  /** Id of the delivery, the same at every attempt. Not signed. */
  readonly deliveryId: string;
}

/**
 * @param prefix with or without its dash: `Acme` and `Acme-` both give `Acme-Signature`. Default `Service`
 * @throws ConfigurationError when no header could begin so
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

/** Headers as `fetch` has them, or as Node has them; names are compared without case. */
export type HeadersLike =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

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
