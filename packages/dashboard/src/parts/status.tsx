import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './status.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'waiting' | 'neutral';

/** A state in words with a mark, whose shape differs too, so that nobody needs its colour. */
export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={classes(styles['status'], styles[tone])}>
      <span className={styles['dot']} aria-hidden="true" />
      {children}
    </span>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  success: 'good',
  synced: 'good',
  delivered: 'good',
  active: 'good',
  ready: 'good',
  connected: 'good',
  done: 'good',
  warning: 'warn',
  unparsed: 'warn',
  paused: 'warn',
  error: 'bad',
  failed: 'bad',
  disconnected: 'bad',
  refused: 'bad',
  pending: 'waiting',
  waiting: 'waiting',
  running: 'waiting',
  syncing: 'waiting',
  fetching: 'waiting',
  created: 'waiting',
  syncing_new_contacts: 'waiting',
  processing: 'waiting',
};

/** Returns the tone of a status word of the API; `neutral` for words without one. */
export function toneOf(status: string): Tone {
  return TONES[status.toLowerCase()] ?? 'neutral';
}

/** A word that classifies something, such as a platform or an event type. */
export function Tag({ children }: { children: ReactNode }) {
  return <span className={styles['tag']}>{children}</span>;
}
