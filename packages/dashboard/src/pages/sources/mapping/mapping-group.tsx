import { type ReactNode, useEffect, useState } from 'react';
import styles from './mapping.module.css';

/** A part of the form that can be closed. It opens when the mapping gets something of it. */
export function Group({
  label,
  hint,
  count,
  isOpen = false,
  children,
}: {
  label: string;
  hint?: string | undefined;
  /** How much of it the mapping has. */
  count: number;
  /** Whether it is open at the start although the mapping has nothing of it. */
  isOpen?: boolean;
  children: ReactNode;
}) {
  const [open, setOpen] = useState(isOpen || count > 0);
  const isUsed = count > 0;
  useEffect(() => {
    if (isUsed) setOpen(true);
  }, [isUsed]);
  return (
    <details className={styles['group']} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label} {isUsed && <span className={styles['hint']}>{count} set</span>}
      </summary>
      <div className={styles['fields']}>
        {hint !== undefined && <p className={styles['hint']}>{hint}</p>}
        {children}
      </div>
    </details>
  );
}
