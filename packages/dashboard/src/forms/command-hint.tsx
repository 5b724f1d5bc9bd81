import type { AdminInput, AdminOperationName } from '@svc/operations/perform';
import { useCatalogEntry } from '../data/catalog.ts';
import { CopyText } from '../parts/copy.tsx';
import styles from './command-hint.module.css';
import { commandLine } from './command-line.ts';

/** Shows the command of `svc-server` that does the same as the page or the form. */
export function CommandHint<Name extends AdminOperationName>({
  operation,
  input,
}: {
  operation: Name;
  input: Partial<AdminInput<Name>>;
}) {
  const entry = useCatalogEntry(operation);
  const line = entry === undefined ? null : commandLine(entry, input as Record<string, unknown>);
  return line === null ? null : <TextHint command={line} />;
}

/** The same for a command that no operation has, such as one of `svc`. */
export function TextHint({ command }: { command: string }) {
  return (
    <div className={styles['hint']}>
      <span>The same in a terminal:</span>
      <span>
        <CopyText text={command} label="Copy the command" />
      </span>
    </div>
  );
}
