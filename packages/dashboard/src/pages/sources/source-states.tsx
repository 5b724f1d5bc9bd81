/** States of a source in words. */
import type { AdminResult } from '../../data/operations.ts';
import { Status } from '../../parts/status.tsx';

type Row = AdminResult<'sources/list'>['sources'][number];

/** Returns how the payloads of the source are read. */
export function describeReading({
  eventCoverage,
  mappingVersion,
}: Pick<Row, 'eventCoverage' | 'mappingVersion'>): string {
  if (mappingVersion !== null) return `its mapping, version ${mappingVersion}`;
  if (eventCoverage === 'full') return 'all of the sequencer';
  return eventCoverage === 'partial' ? 'a part of the sequencer’s' : 'stored, but not read: it needs a mapping';
}

const SECRETS = {
  on: ['good', 'required'],
  off: ['neutral', 'not required'],
  unreadable: ['bad', 'unreadable'],
} as const;

export function SecretState({ state }: { state: Row['authenticity']['secret'] }) {
  const [tone, text] = SECRETS[state];
  return <Status tone={tone}>{text}</Status>;
}
