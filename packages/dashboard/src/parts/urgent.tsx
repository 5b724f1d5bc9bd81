/**
 * A question that may come at any time, such as for the password. A dialog hides what is outside of it from screen readers and keeps the focus,
 * so the question is asked within the topmost dialog.
 */
import { createContext, type ReactNode, useContext, useEffect, useId, useSyncExternalStore } from 'react';

/** The question; `asked` within the question itself. */
const UrgentContext = createContext<{ readonly question: ReactNode } | 'asked'>({ question: null });

/** Open dialogs, the topmost last. */
let dialogs: readonly string[] = [];
const listeners = new Set<() => void>();

function change(next: readonly string[]): void {
  dialogs = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Asks over the page while no dialog is open, and in the topmost one else. */
export function UrgentProvider({ question, children }: { question: ReactNode; children: ReactNode }) {
  const isPageTopmost = useSyncExternalStore(subscribe, () => dialogs.length === 0);
  return (
    <UrgentContext value={{ question }}>
      {children}
      {isPageTopmost && <UrgentContext value="asked">{question}</UrgentContext>}
    </UrgentContext>
  );
}

/** The place of the question in a dialog that is open. */
export function UrgentPlace() {
  const id = useId();
  const urgent = useContext(UrgentContext);
  const isAsked = urgent === 'asked';
  useEffect(() => {
    if (isAsked) return undefined;
    change([...dialogs, id]);
    return () => change(dialogs.filter((each) => each !== id));
  }, [id, isAsked]);
  const isTopmost = useSyncExternalStore(subscribe, () => dialogs.at(-1) === id);
  return isTopmost && !isAsked ? <UrgentContext value="asked">{urgent.question}</UrgentContext> : null;
}
