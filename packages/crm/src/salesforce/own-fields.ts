import { LAST_VALUE_NAMES, LAST_VALUES, type LastValueName } from '@svc/domain/policy/last-values';
import type { Fields } from '../http/answer-values.ts';
import { lastValueField } from './last-values.ts';
import { DEAL_KEY_FIELD, EVENT_KEY_FIELD, PROFILE_URL_FIELD } from './org.ts';

/** The fields of this service, as the Tooling API makes them. */
export interface OwnField {
  /** The object that has the field in Setup; those of tasks are fields of activities. */
  object: 'Activity' | 'Contact' | 'Lead' | 'Opportunity';
  name: string;
  /** The metadata of the type `CustomField`. */
  metadata: Fields;
  /** What an admin chooses who makes the field by hand. */
  byHand: string;
}

const KEY_LENGTH = 80;
const TEXT_LENGTH = 255;
const DESCRIPTION = 'Written by the sequencer sync.';
const LINKS: ReadonlySet<LastValueName> = new Set(['leadUrl', 'lastClickedUrl']);

export const OWN_FIELDS: readonly OwnField[] = [
  keyField('Activity', EVENT_KEY_FIELD, 'Sequencer event key'),
  keyField('Opportunity', DEAL_KEY_FIELD, 'Sequencer deal key'),
  ...(['Contact', 'Lead'] as const).flatMap((object) => [
    profileField(object),
    ...LAST_VALUE_NAMES.map((name) => lastValue(object, name)),
  ]),
];

function keyField(object: OwnField['object'], name: string, label: string): OwnField {
  const metadata = { type: 'Text', length: KEY_LENGTH, unique: true, caseSensitive: false, externalId: true };
  return ownField(object, name, { label, ...metadata }, `Text, length ${KEY_LENGTH}, unique, external id`);
}

function profileField(object: OwnField['object']): OwnField {
  const metadata = { label: 'Sequencer profile URL', type: 'Text', length: TEXT_LENGTH, externalId: true };
  return ownField(object, PROFILE_URL_FIELD, metadata, `Text, length ${TEXT_LENGTH}, external id`);
}

function lastValue(object: OwnField['object'], name: LastValueName): OwnField {
  const { label: words, type } = LAST_VALUES[name];
  const label = `Sequencer: ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
  const field = lastValueField(name);
  if (type === 'datetime') return ownField(object, field, { label, type: 'DateTime' }, 'Date/Time');
  if (type === 'number')
    return ownField(object, field, { label, type: 'Number', precision: 18, scale: 0 }, 'Number, length 18');
  if (LINKS.has(name)) return ownField(object, field, { label, type: 'Url' }, 'URL');
  return ownField(object, field, { label, type: 'Text', length: TEXT_LENGTH }, `Text, length ${TEXT_LENGTH}`);
}

function ownField(object: OwnField['object'], name: string, metadata: Fields, byHand: string): OwnField {
  return { object, name, metadata: { ...metadata, required: false, description: DESCRIPTION }, byHand };
}
