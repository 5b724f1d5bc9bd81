/** States of a source in words. */
import type { AdminResult } from '../../data/operations.ts';
import { Status } from '../../parts/status.tsx';

type Row = AdminResult<'sources/list'>['sources'][number];

/** Returns how the payloads of the source are read. */
export function describeReading({
  eventCoverage,
  mappingVersion,
}: Pick<Row, 'eventCoverage' | 'mappingVersion'>): string {
  if (mappingVersion !== null) return `read with version ${mappingVersion} of its mapping`;
  if (eventCoverage === 'full') return 'all types are read';
  if (eventCoverage === 'mapped') return 'read with the ready mapping of the platform';
  return eventCoverage === 'partial' ? 'some types are read' : 'stored, not read: it needs a mapping';
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

/** What the last look at the webhooks found. */
export function WiringState({ wiring }: { wiring: NonNullable<Row['wiring']> }) {
  const { error, sourceId } = wiring;
  if (error === null) return <Status tone="good">posts what is needed</Status>;
  return <Status tone="bad">{`${error}: svc-server sources connect ${sourceId} mends it`}</Status>;
}
