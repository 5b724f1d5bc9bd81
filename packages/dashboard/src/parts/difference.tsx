import { classes } from './classes.ts';
import styles from './difference.module.css';
import { compareLines } from './line-difference.ts';

const SIGNS = { kept: ' ', removed: '-', added: '+' } as const;

/** Two texts as one, with a sign before each line that only one of them has. */
export function Difference({ before, after, label }: { before: string; after: string; label: string }) {
  return (
    <pre className={styles['difference']} aria-label={label} tabIndex={0}>
      {compareLines(before, after).map(({ kind, text }, index) => (
        <span key={index} className={classes(styles['line'], kind !== 'kept' && styles[kind])}>
          {SIGNS[kind]} {text}
        </span>
      ))}
    </pre>
  );
}
