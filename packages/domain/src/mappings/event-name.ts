/**
 * Returns the comparable form of an event name: `email.opened` and `Email Opened` become `EMAIL_OPENED`. Empty when the text has
 * no letter or digit. Letters of any script are kept, because some platforms send the user's own labels as event names.
 */
export function comparableEventName(name: string): string {
  return name
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replaceAll(/^_|_$/g, '');
}
