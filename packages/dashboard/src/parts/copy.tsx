import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import styles from './copy.module.css';
import { Notice } from './page.tsx';

/** A button that copies a text. @param label says what is copied: `Copy the URL` */
function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <Button
      isSmall
      kind="plain"
      aria-label={label}
      onClick={() => {
        // Without a secure context there is no clipboard; the text is selectable beside the button.
        void navigator.clipboard?.writeText(text).then(() => setCopied(true));
      }}
    >
      <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
    </Button>
  );
}

/** A text that is copied whole: a URL, an id, a command. */
export function CopyText({ text, label }: { text: string; label: string }) {
  return (
    <span className={styles['copy']}>
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

/** A secret that nobody can see again. */
export function ShownOnce({ secret, label }: { secret: string; label: string }) {
  return (
    <Notice tone="warn">
      <p>It is shown only once: copy it now.</p>
      <CopyText text={secret} label={label} />
    </Notice>
  );
}

/** JSON or other text as it is. React escapes it, so a payload cannot become part of the page. */
export function Code({ value, label }: { value: unknown; label: string }) {
  return (
    <pre className={styles['block']} aria-label={label} tabIndex={0}>
      {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
    </pre>
  );
}
