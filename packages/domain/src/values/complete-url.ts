/** The host of an address that is written without its scheme: dotted, `localhost`, bracketed, or followed by a port. */
const HOST_FIRST = /^(?:[\w-]+(?:\.[\w-]+)+|localhost|\[[\da-f:.]+\]|[\w-]+(?=:\d))\.?(?::\d+)?(?:[/?#]|$)/i;

/**
 * Completes an address that a person wrote without its scheme, as in `localhost:4393/hooks`: http for this machine, https for
 * others. Returns null for an address that has a scheme, and for other text.
 */
export function completeUrl(text: string, isLoopback: (url: URL) => boolean): string | null {
  if (!HOST_FIRST.test(text) || !URL.canParse(`http://${text}`)) return null;
  return `${isLoopback(new URL(`http://${text}`)) ? 'http' : 'https'}://${text}`;
}
