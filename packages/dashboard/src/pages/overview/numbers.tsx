import { Link } from 'wouter';
import { classes } from '../../parts/classes.ts';
import styles from './numbers.module.css';

export interface Counted {
  readonly what: string;
  readonly count: number;
  /** The list that is counted. */
  readonly href: string;
  /** How a number above 0 looks. Default: like any other. */
  readonly tone?: 'warn' | 'bad';
}

/** A row of numbers, each of which leads to the list that it counts. */
export function Numbers({ label, numbers }: { label: string; numbers: readonly Counted[] }) {
  return (
    <ul className={styles['numbers']} aria-label={label}>
      {numbers.map(({ what, count, href, tone }) => (
        <li key={what}>
          <Link href={href} className={styles['number'] ?? ''}>
            <span className={classes(styles['count'], count > 0 && tone !== undefined && styles[tone])}>
              {count.toLocaleString('en')}
            </span>
            <span className={styles['what']}>{what}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
