import type { ComponentProps } from 'react';
import { Link, type LinkProps } from 'wouter';
import styles from './button.module.css';
import { classes } from './classes.ts';

interface Look {
  /** `primary`: the one main action of a page. `danger`: it removes something. Default `normal`. */
  kind?: 'normal' | 'primary' | 'danger' | 'plain' | undefined;
  isSmall?: boolean | undefined;
}

function classOf({ kind = 'normal', isSmall }: Look): string {
  return classes(styles['button'], kind !== 'normal' && styles[kind], isSmall && styles['small']);
}

export type ButtonProps = Omit<ComponentProps<'button'>, 'className'> &
  Look & {
    /** The action runs: the button cannot be pressed again. */
    isBusy?: boolean | undefined;
  };

export function Button({ kind, isSmall, isBusy = false, onClick, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      // A button that is disabled loses the focus, and with it somebody who works with the keyboard their place on the page.
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      // Also keeps a form from being sent again.
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
      className={classOf({ kind, isSmall })}
    />
  );
}

/** A link within the dashboard that looks like a button. */
export function ButtonLink({ kind, isSmall, ...rest }: LinkProps & Look) {
  return <Link {...rest} className={classOf({ kind, isSmall })} />;
}
