import { readFileSync } from 'node:fs';

/** The part of oclif's manifest that completion needs. The file is read directly because loading oclif takes too long. */
export interface Manifest {
  readonly commands: Readonly<Record<string, ManifestCommand>>;
  readonly topics: Readonly<Record<string, { readonly description?: string }>>;
}

export interface ManifestCommand {
  readonly summary?: string;
  readonly hidden?: boolean;
  /** False: the last argument may be repeated. */
  readonly strict?: boolean;
  readonly args: Readonly<Record<string, ManifestArgument>>;
  readonly flags: Readonly<Record<string, ManifestFlag>>;
}

export interface ManifestArgument {
  readonly name: string;
  readonly options?: readonly string[];
  readonly multiple?: boolean;
}

export interface ManifestFlag {
  readonly name: string;
  readonly char?: string;
  readonly description?: string;
  readonly type: string;
  readonly hidden?: boolean;
  readonly multiple?: boolean;
  readonly options?: readonly string[];
  readonly helpValue?: string | readonly string[];
  readonly helpGroup?: string;
}

/** @param folder folder of the package */
export function readManifest(folder: URL): Manifest {
  const { commands } = JSON.parse(readFileSync(new URL('oclif.manifest.json', folder), 'utf8'));
  const { oclif } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
  return { commands, topics: oclif.topics };
}
