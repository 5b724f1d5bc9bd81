import { comparableEventName } from '@svc/domain/mappings/event-name';
import { toText } from './json-fields.ts';

/** Names that platforms and their users give to the "send a test" button. */
const TEST_NAMES = new Set(['TEST', 'PING', 'TEST_PING', 'TEST_EVENT', 'TEST_WEBHOOK', 'WEBHOOK_TEST', 'EVENT_TEST']);
const NAME_MAX_LENGTH = 64;

/**
 * Normalizes an event name: `email.opened` and `Email Opened` become `EMAIL_OPENED`. Returns null for a text without a letter
 * or digit. Letters of any script are kept, because some platforms send the user's own labels as event names.
 */
export function toEventName(value: unknown): string | null {
  const text = toText(value, NAME_MAX_LENGTH);
  if (text === null) return null;
  const name = comparableEventName(text);
  return name === '' ? null : name;
}

export function isTestName(name: string): boolean {
  return TEST_NAMES.has(name);
}
