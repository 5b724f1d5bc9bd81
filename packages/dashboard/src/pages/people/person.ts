/** Who a page is about, in the fragment of its address: browsers send no fragment to a server, so no log of a proxy has it. */

export interface Person {
  readonly email?: string;
  readonly profileUrl?: string;
}

/** Returns whom a text names: with an `@` and without a slash it is an address, else a profile URL; null for no text. */
export function readPerson(text: string): Person | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return trimmed.includes('@') && !trimmed.includes('/') ? { email: trimmed } : { profileUrl: trimmed };
}

/** Returns the text of a fragment with its `#`; empty for one that cannot be read. */
export function readFragment(hash: string): string {
  try {
    return decodeURIComponent(hash.replace(/^#/, ''));
  } catch {
    return '';
  }
}

export function writeFragment(text: string): string {
  return `#${encodeURIComponent(text.trim())}`;
}
