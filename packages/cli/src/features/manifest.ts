import { readFileSync } from 'node:fs';

/** The part of oclif's manifest that help and completion need. The file is read directly because loading oclif takes too long. */
export interface Manifest {
  readonly commands: Readonly<Record<string, ManifestCommand>>;
  readonly topics: Readonly<Record<string, { readonly description?: string }>>;
}

export interface ManifestCommand {
  readonly summary?: string;
  readonly description?: string;
  readonly examples?: readonly (string | { readonly description: string; readonly command: string })[];
  /** Additional meanings of exit codes, by code. */
  readonly exitCodes?: Readonly<Record<string, string>>;
  /** Names of the environment variables that matter most. */
  readonly environment?: readonly string[];
  readonly hidden?: boolean;
  /** False: the last argument may be repeated. */
  readonly strict?: boolean;
  readonly args: Readonly<Record<string, ManifestArgument>>;
  readonly flags: Readonly<Record<string, ManifestFlag>>;
}

export interface ManifestArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
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
  readonly required?: boolean;
  readonly default?: unknown;
  readonly allowNo?: boolean;
}

/** @param folder folder of the package */
export function readManifest(folder: URL): Manifest {
  const { commands } = JSON.parse(readFileSync(new URL('oclif.manifest.json', folder), 'utf8'));
  const { oclif } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));
  return { commands, topics: oclif.topics };
}
