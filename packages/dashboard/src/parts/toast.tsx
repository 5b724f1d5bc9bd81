import { Toast } from '@base-ui/react/toast';
import { type ReactNode, useMemo } from 'react';
import styles from './toast.module.css';

export interface Toasts {
  /** Says that something is done; goes away by itself. */
  say(text: string): void;
  /** Says that something failed; stays until it is closed. */
  warn(text: string): void;
}

export function useToasts(): Toasts {
  const { add } = Toast.useToastManager();
  return useMemo(
    () => ({
      say: (text) => void add({ description: text }),
      // With a higher priority the library hides the message, which has a button, from screen readers.
      warn: (text) => void add({ description: text, type: 'warn', timeout: 0 }),
    }),
    [add],
  );
}

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider>
      {children}
      <Toast.Portal>
        <Toast.Viewport className={styles['viewport']}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles['toast']}>
      <Toast.Description className={styles['text']} />
      <Toast.Close className={styles['close']} aria-label="Close this message">
        ✕
      </Toast.Close>
    </Toast.Root>
  ));
}
