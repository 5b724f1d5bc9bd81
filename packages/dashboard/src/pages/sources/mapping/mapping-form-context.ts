import type { RawMapping, Target } from './mapping-draft.ts';
import type { Problem } from './mapping-schema.ts';

/** What every part of the form needs. */
export interface FormContext {
  readonly mapping: RawMapping;
  readonly isEditable: boolean;
  change(mapping: RawMapping): void;
  /** The path that the next click on the payload sets. */
  readonly target: Target | null;
  aim(target: Target): void;
  problemsAt(path: readonly string[]): readonly Problem[];
  /** The id of a `<datalist>` with the paths of the sample. */
  readonly pathsId: string;
}
