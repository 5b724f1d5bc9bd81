import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './filter-bar.module.css';

/** The filters above a list. @param onClear removes all of them; undefined when none is set */
export function FilterBar({ children, onClear }: { children: ReactNode; onClear: (() => void) | undefined }) {
  return (
    <div className={styles['bar']} role="search">
      {children}
      {onClear !== undefined && (
        <Button kind="plain" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}
