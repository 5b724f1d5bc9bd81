import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactNode } from 'react';
import styles from './tooltip.module.css';

/** Shows a text while the pointer is on what it explains. Keyboards do not reach it, so it never holds what a user needs to go on. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Base.Root>
      <Base.Trigger className={styles['trigger']} render={<span />}>
        {children}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4}>
          <Base.Popup className={styles['popup']}>{text}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
