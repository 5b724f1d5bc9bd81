/** An instant as a timestamp; null stays null. */
export function toIsoOrNull(instant: Date | null): string | null {
  return instant === null ? null : instant.toISOString();
}
