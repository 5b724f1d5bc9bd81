/**
 * Text that somebody edits and has not saved. It stays while they look at other pages, and the browser asks before the tab is closed. A
 * sign-out loads the page anew, which forgets it.
 */
import { useCallback, useSyncExternalStore } from 'react';

const drafts = new Map<string, string>();
const listeners = new Set<() => void>();

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** @param key names what is edited @returns the text, or null without unsaved changes; and what keeps or forgets (null) it */
export function useDraft(key: string): [string | null, (text: string | null) => void] {
  const draft = useSyncExternalStore(listen, () => drafts.get(key) ?? null);
  const set = useCallback(
    (text: string | null) => {
      if (text === null) drafts.delete(key);
      else drafts.set(key, text);
      if (drafts.size > 0) window.addEventListener('beforeunload', askBeforeLeaving);
      else window.removeEventListener('beforeunload', askBeforeLeaving);
      for (const listener of listeners) listener();
    },
    [key],
  );
  return [draft, set];
}
