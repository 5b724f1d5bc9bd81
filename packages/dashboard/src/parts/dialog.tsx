import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useState } from 'react';
import { Button, type ButtonProps } from './button.tsx';
import { classes } from './classes.ts';
import styles from './dialog.module.css';
import { UrgentPlace } from './urgent.tsx';

interface DialogProps {
  title: string;
  description?: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  isWide?: boolean;
  children: ReactNode;
}

/** A dialog over the page. Escape and a click beside it close it. */
export function Dialog({ title, description, isOpen, onClose, isWide = false, children }: DialogProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        <Base.Popup className={classes(styles['popup'], isWide && styles['wide'])}>
          <Base.Title>{title}</Base.Title>
          {description !== undefined && (
            <Base.Description className={styles['description']}>{description}</Base.Description>
          )}
          {children}
          <UrgentPlace />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The row of buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles['actions']}>{children}</div>;
}

/** A button that opens a dialog. @param children gets the function that closes it */
export function DialogButton({
  label,
  children,
  button = {},
  ...dialog
}: Omit<DialogProps, 'isOpen' | 'onClose' | 'children'> & {
  label: ReactNode;
  button?: Omit<ButtonProps, 'onClick'>;
  children: (close: () => void) => ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog {...dialog} isOpen={isOpen} onClose={close}>
        {children(close)}
      </Dialog>
    </>
  );
}

interface ConfirmProps {
  /** What the button says that opens the question. */
  label: ReactNode;
  /** The question: `Remove source 7?` */
  title: string;
  /** What follows from it. */
  description: ReactNode;
  /** The verb of the button that does it: `Remove`. */
  action: string;
  onConfirm: () => Promise<unknown>;
  button?: Omit<ButtonProps, 'onClick'>;
  children?: ReactNode;
}

/** A button that asks before it does something that cannot be undone. */
export function ConfirmButton({ label, title, description, action, onConfirm, button = {}, children }: ConfirmProps) {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm();
      setOpen(false);
    } catch {
      // The change has shown its error.
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <AlertDialog.Root open={isOpen} onOpenChange={setOpen}>
        <AlertDialog.Portal>
          <AlertDialog.Backdrop className={styles['backdrop']} />
          <AlertDialog.Popup className={styles['popup']}>
            <AlertDialog.Title>{title}</AlertDialog.Title>
            <AlertDialog.Description className={styles['description']}>{description}</AlertDialog.Description>
            {children}
            <DialogActions>
              <AlertDialog.Close render={<Button>Cancel</Button>} />
              <Button kind="danger" isBusy={isBusy} onClick={() => void confirm()}>
                {action}
              </Button>
            </DialogActions>
            <UrgentPlace />
          </AlertDialog.Popup>
        </AlertDialog.Portal>
      </AlertDialog.Root>
    </>
  );
}
