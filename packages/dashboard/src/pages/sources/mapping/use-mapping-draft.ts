/** The mapping that a page edits, and whether it can be saved. */
import { useMemo } from 'react';
import { useDraft } from '../../../data/draft.ts';
import { type Draft, draftOf, EMPTY, type RawMapping, toDraft } from './mapping-draft.ts';
import { checkMapping, type Problem } from './mapping-schema.ts';

/** @param stored the latest version; null when there is none */
export function useMappingDraft(sourceId: number, stored: { version: number; mapping: RawMapping | null } | null) {
  const [kept, keep] = useDraft(`mapping of source ${sourceId}`);
  const [keptVersion, keepVersion] = useDraft(`version of the mapping of source ${sourceId}`);
  const version = String(stored?.version ?? 0);
  const storedText = JSON.stringify(stored?.mapping ?? EMPTY);
  const saved = useMemo(() => {
    const mapping = JSON.parse(storedText) as RawMapping;
    // The database does not keep the order of keys.
    const checked = checkMapping(mapping);
    return draftOf(checked.problems === null ? checked.mapping : mapping);
  }, [storedText]);
  const draft = useMemo(() => (kept === null ? saved : toDraft(kept)), [kept, saved]);
  const checked = useMemo(() => checkMapping(draft.mapping), [draft]);
  const set = (text: string | null) => {
    keep(text);
    keepVersion(text === null ? null : (keptVersion ?? version));
  };
  return {
    draft,
    /** The mapping when it can be saved; null while something is wrong with it. */
    mapping: checked.problems === null ? checked.mapping : null,
    problems: draft.problem === null ? (checked.problems ?? NONE) : NONE,
    isChanged: kept !== null,
    /** Whether somebody saved another version since the draft was begun. */
    isOvertaken: keptVersion !== null && keptVersion !== version,
    change: ({ text }: Draft) => set(text === saved.text ? null : text),
    discard: () => set(null),
  };
}

const NONE: readonly Problem[] = [];
