import { canonicalProfileUrl } from '@svc/domain/contacts/profile-url';
import { toText } from './json-fields.ts';

/** The canonical form of a profile URL, as stored and looked up; null for anything else (a home page, a placeholder). */
export function toProfileUrl(value: unknown): string | null {
  const text = toText(value, 2048);
  if (text === null) return null;
  try {
    return canonicalProfileUrl(text);
  } catch {
    return null;
  }
}
