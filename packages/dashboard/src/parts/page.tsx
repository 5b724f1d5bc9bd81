/** What every page is made of. */
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import styles from './page.module.css';

interface PageProps {
  /** Also the title of the tab. */
  title: string;
  lead?: ReactNode;
  /** The list that the page of one thing belongs to. */
  parent?: { label: string; href: string };
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, lead, parent, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  return (
    <>
      <header className={styles['header']}>
        <div>
          {parent !== undefined && (
            <Link href={parent.href} className={styles['crumb'] ?? ''}>
              {parent.label}
            </Link>
          )}
          <h1 tabIndex={-1} data-page-title>
            {title}
          </h1>
          {lead !== undefined && <p className={styles['lead']}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </header>
      {children}
    </>
  );
}

export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles['section']} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** Says that there is nothing yet, and what the next step is. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles['empty']}>
      <div>{children}</div>
      {action}
    </div>
  );
}

export function Notice({
  tone = 'neutral',
  action,
  children,
}: {
  tone?: 'neutral' | 'good' | 'warn' | 'bad';
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div
      className={classes(styles['notice'], tone !== 'neutral' && styles[tone])}
      role={tone === 'bad' ? 'alert' : undefined}
    >
      <div>{children}</div>
      {action}
    </div>
  );
}

/** Names and values of one thing. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode] | null | false)[] }) {
  return (
    <dl className={styles['facts']}>
      {facts.map((fact) =>
        fact ? (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

interface Reading<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly isFetching: boolean;
  refetch(): unknown;
}

/** Shows what a query has read; while there is nothing, that it loads or why it failed. */
export function Loaded<T>({ query, children }: { query: Reading<T>; children: (data: T) => ReactNode }) {
  const { data, error } = query;
  if (data !== undefined) return children(data);
  if (error !== null) {
    return (
      <Notice
        tone="bad"
        action={
          <Button isSmall isBusy={query.isFetching} onClick={() => void query.refetch()}>
            Try again
          </Button>
        }
      >
        {error.message}
      </Notice>
    );
  }
  return (
    <p className={styles['loading']} role="status">
      Loading …
    </p>
  );
}
