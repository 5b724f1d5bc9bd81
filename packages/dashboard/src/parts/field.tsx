/** Fields of forms: label, hint and error belong to their control for screen readers too. */
import { type ComponentProps, type ReactNode, useId } from 'react';
import { classes } from './classes.ts';
import styles from './field.module.css';

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** What is wrong with the value. */
  error?: string | null | undefined;
}

function useFieldIds({ hint, error }: FieldProps) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const errorId = error === undefined || error === null ? undefined : `${id}-error`;
  const describedBy = [hintId, errorId].filter(Boolean).join(' ') || undefined;
  return {
    id,
    hintId,
    errorId,
    attributes: { id, 'aria-describedby': describedBy, 'aria-invalid': errorId !== undefined },
  };
}

function Frame({
  label,
  hint,
  error,
  ids,
  children,
}: FieldProps & { ids: ReturnType<typeof useFieldIds>; children: ReactNode }) {
  return (
    <div className={styles['field']}>
      <label htmlFor={ids.id} className={styles['label']}>
        {label}
      </label>
      {children}
      {hint !== undefined && (
        <span id={ids.hintId} className={styles['hint']}>
          {hint}
        </span>
      )}
      {ids.errorId !== undefined && (
        <span id={ids.errorId} className={styles['error']} role="alert">
          {error}
        </span>
      )}
    </div>
  );
}

type Without<T> = Omit<T, 'className' | 'id'>;

export function TextField({
  label,
  hint,
  error,
  isMono = false,
  ...input
}: FieldProps & { isMono?: boolean } & Without<ComponentProps<'input'>>) {
  const ids = useFieldIds({ label, hint, error });
  return (
    <Frame label={label} hint={hint} error={error} ids={ids}>
      <input {...input} {...ids.attributes} className={classes(styles['control'], isMono && styles['mono'])} />
    </Frame>
  );
}

export function TextArea({
  label,
  hint,
  error,
  isMono = false,
  ...input
}: FieldProps & { isMono?: boolean } & Without<ComponentProps<'textarea'>>) {
  const ids = useFieldIds({ label, hint, error });
  return (
    <Frame label={label} hint={hint} error={error} ids={ids}>
      <textarea {...input} {...ids.attributes} className={classes(styles['control'], isMono && styles['mono'])} />
    </Frame>
  );
}

/** A choice of few. The options are `<option>` elements. */
export function SelectField({ label, hint, error, ...select }: FieldProps & Without<ComponentProps<'select'>>) {
  const ids = useFieldIds({ label, hint, error });
  return (
    <Frame label={label} hint={hint} error={error} ids={ids}>
      <select {...select} {...ids.attributes} className={styles['control']} />
    </Frame>
  );
}

export function SwitchField({
  label,
  hint,
  checked,
  onChange,
  disabled,
}: {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) {
  const id = useId();
  return (
    <div className={styles['switch']}>
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <span id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </span>
      )}
    </div>
  );
}

/** Several of a few. */
export function ChoicesField({
  label,
  hint,
  choices,
  value,
  onChange,
}: {
  label: ReactNode;
  hint?: ReactNode;
  choices: readonly { value: string; label: string }[];
  value: readonly string[];
  onChange: (value: string[]) => void;
}) {
  return (
    <fieldset className={styles['choices']}>
      <legend className={styles['label']}>{label}</legend>
      {hint !== undefined && <span className={styles['hint']}>{hint}</span>}
      {choices.map((choice) => (
        <SwitchField
          key={choice.value}
          label={choice.label}
          checked={value.includes(choice.value)}
          onChange={(isChosen) =>
            onChange(isChosen ? [...value, choice.value] : value.filter((each) => each !== choice.value))
          }
        />
      ))}
    </fieldset>
  );
}

/** A form that sends itself with the keyboard too. */
export function Form({
  onSubmit,
  children,
  ...rest
}: {
  onSubmit: () => void;
  children: ReactNode;
  'aria-label'?: string;
}) {
  return (
    <form
      {...rest}
      className={styles['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
