/**
 * Ready mappings: how platforms without an adapter are read unless a source has a mapping of its own. Each is one JSON file, which
 * also says where its payloads are published and what nobody has verified. A file is loaded when a source of its platform is read.
 */
import type { EventMapping } from '@svc/domain/mappings/event-mapping';
import type { SourceSecret } from '@svc/domain/syncs/source-secret';
import type { SourceReader } from '../events/index.ts';
import { READY_MAPPING_FILES } from './files.ts';

/** A file of this folder. */
export interface ReadyMapping {
  /** As the vendor writes it. */
  readonly name: string;
  /** Pages that publish the payloads. */
  readonly sources: readonly string[];
  /** The day on which they were read. */
  readonly readOn: string;
  /** What these pages show. */
  readonly published: string;
  readonly unverified: string;
  /** What its posts carry to prove their origin, by its documents. */
  readonly check?: Omit<SourceSecret, 'secret'>;
  /** What to do at the platform. */
  readonly setUp?: string;
  readonly mapping: EventMapping;
}

export const READY_PLATFORMS: readonly string[] = Object.keys(READY_MAPPING_FILES);

export function hasReadyMapping(platform: string): boolean {
  return READY_PLATFORMS.includes(platform);
}

/** Returns the ready mapping of a platform; null when this release has none. */
export async function findReadyMapping(platform: string): Promise<ReadyMapping | null> {
  const load = Object.hasOwn(READY_MAPPING_FILES, platform) ? READY_MAPPING_FILES[platform] : undefined;
  if (load === undefined) return null;
  // `ready-mappings.test.ts` checks each file.
  return (await load()).default as ReadyMapping;
}

/** A source without a mapping of its own is read with the ready one of its platform. */
export async function withReadyMapping<Reader extends SourceReader>(reader: Reader): Promise<Reader> {
  if (reader.mapping !== null) return reader;
  return { ...reader, mapping: (await findReadyMapping(reader.platform))?.mapping ?? null };
}
