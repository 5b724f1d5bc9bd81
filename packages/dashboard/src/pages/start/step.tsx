import type { ReactNode } from 'react';
import { classes } from '../../parts/classes.ts';
import styles from './step.module.css';

/** `later`: an earlier step comes first, and the content is hidden. */
export type StepState = 'done' | 'now' | 'later';

const WORDS: Readonly<Record<StepState, string>> = { done: 'done', now: 'next', later: 'later' };

export function Steps({ children }: { children: ReactNode }) {
  return <ol className={styles['steps']}>{children}</ol>;
}

export function Step({
  number,
  title,
  state,
  children,
}: {
  number: number;
  title: string;
  state: StepState;
  children: ReactNode;
}) {
  return (
    <li className={classes(styles['step'], styles[state])} aria-current={state === 'now' ? 'step' : undefined}>
      <span className={styles['mark']} aria-hidden="true">
        {state === 'done' ? '✓' : number}
      </span>
      <div className={styles['body']}>
        <h2>
          {title}
          <span className="visually-hidden">, {WORDS[state]}</span>
        </h2>
        {state !== 'later' && children}
      </div>
    </li>
  );
}

/** What belongs on one line of a step. */
export function StepRow({ children }: { children: ReactNode }) {
  return <div className={styles['row']}>{children}</div>;
}
