/** A form of some fields of an operation, made from its declaration. */
import type { AdminInput, AdminOperationName, AdminResult } from '@svc/operations/perform';
import { type ReactNode, useState } from 'react';
import { type CatalogField, useCatalogEntry } from '../data/catalog.ts';
import { DashboardError } from '../data/http.ts';
import { usePerform } from '../data/operations.ts';
import { useIsAdmin } from '../data/session.tsx';
import { Button } from '../parts/button.tsx';
import { DialogActions } from '../parts/dialog.tsx';
import { ChoicesField, Form, SelectField, SwitchField, TextArea, TextField } from '../parts/field.tsx';
import { Notice } from '../parts/page.tsx';
import { CommandHint } from './command-hint.tsx';
import { textOf } from './command-line.ts';
import { labelOf } from './label.ts';

/** What a field says instead of what its declaration says. */
export interface FieldText {
  label?: string;
  hint?: ReactNode;
  /** Options with names of their own, for ids. */
  options?: readonly { value: string | number; label: string }[];
  placeholder?: string;
  isLong?: boolean;
}

interface OperationFormProps<Name extends AdminOperationName> {
  operation: Name;
  /** The fields that the user fills in, in their order. */
  fields: readonly (keyof AdminInput<Name> & string)[];
  /** Values of fields that the user does not see, such as the id. */
  fixed?: Partial<AdminInput<Name>>;
  /** Values at the start. */
  initial?: Partial<AdminInput<Name>>;
  texts?: Partial<Record<keyof AdminInput<Name> & string, FieldText>>;
  /** The verb of the button: `Save`. */
  action: string;
  /** What a toast says afterwards. */
  done?: string | ((result: AdminResult<Name>) => string);
  onDone?: (result: AdminResult<Name>) => void;
  onCancel?: () => void;
  /** What stands above the buttons. */
  children?: ReactNode;
}

/** Fields whose value is empty are left out, so that the operation uses its default. */
export function OperationForm<Name extends AdminOperationName>(props: OperationFormProps<Name>) {
  const { operation, fields, fixed = {}, initial = {}, texts = {}, action, done, onDone, onCancel, children } = props;
  const entry = useCatalogEntry(operation);
  const [values, setValues] = useState<Record<string, unknown>>({ ...(initial as Record<string, unknown>) });
  const [problem, setProblem] = useState<{ field: string | null; text: string } | null>(null);
  const isAdmin = useIsAdmin();
  const change = usePerform(operation, { showsErrors: true, ...(done === undefined ? {} : { done }) });
  if (entry === undefined) return null;
  const shown = fields.flatMap((name) => entry.fields.filter((field) => field.name === name));
  const input = { ...(fixed as Record<string, unknown>), ...readValues(shown, values) };

  const submit = () => {
    setProblem(null);
    let sent: Record<string, unknown>;
    try {
      sent = parseJsonFields(shown, input);
    } catch (error) {
      setProblem(error as { field: string; text: string });
      return;
    }
    // The refreshed page may no longer have the form, and then the callbacks of `mutate` are not called.
    change.mutateAsync(sent as AdminInput<Name>).then(
      (result) => onDone?.(result),
      (error: Error) => setProblem(problemOf(error, shown)),
    );
  };

  return (
    <Form onSubmit={submit} aria-label={action}>
      {shown.map((field) => (
        <OperationField
          key={field.name}
          field={field}
          text={texts[field.name as keyof typeof texts] ?? {}}
          value={values[field.name]}
          error={problem?.field === field.name ? problem.text : null}
          onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      {children}
      {problem !== null && problem.field === null && <Notice tone="bad">{problem.text}</Notice>}
      <CommandHint operation={operation} input={input as Partial<AdminInput<Name>>} />
      <DialogActions>
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button
          type="submit"
          kind="primary"
          isBusy={change.isPending}
          disabled={!isAdmin && entry.permission === 'write'}
          title={isAdmin || entry.permission === 'read' ? undefined : 'Only admins change something.'}
        >
          {action}
        </Button>
      </DialogActions>
    </Form>
  );
}

function OperationField({
  field,
  text,
  value,
  error,
  onChange,
}: {
  field: CatalogField;
  text: FieldText;
  value: unknown;
  error: string | null;
  onChange: (value: unknown) => void;
}) {
  const label = text.label ?? labelOf(field.name.replace(/Ids?$/, ''));
  const hint = text.hint ?? (field.description === undefined ? undefined : sentenceOf(field.description));
  const shared = { label, hint, error, placeholder: text.placeholder };
  if (field.kind === 'boolean') {
    return <SwitchField label={label} hint={hint} checked={(value ?? field.default) === true} onChange={onChange} />;
  }
  const options = text.options ?? field.choices?.map((choice) => ({ value: choice, label: choice }));
  if (options !== undefined && field.kind === 'choices') {
    const chosen = value ?? field.default;
    return (
      <ChoicesField
        {...{ label, hint }}
        choices={options.map((option) => ({ value: String(option.value), label: option.label }))}
        value={Array.isArray(chosen) ? chosen.map(String) : []}
        onChange={onChange}
      />
    );
  }
  if (options !== undefined) {
    return (
      <SelectField
        {...{ label, hint, error }}
        value={textOf(value ?? field.default ?? '')}
        required={!field.isOptional}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{field.isOptional ? '–' : 'Choose …'}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </SelectField>
    );
  }
  if (field.kind === 'json' || text.isLong === true) {
    return (
      <TextArea
        {...shared}
        isMono={field.kind === 'json'}
        rows={10}
        spellCheck={field.kind !== 'json'}
        value={typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, null, 2)}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  return (
    <TextField
      {...shared}
      type={field.isSecret === true ? 'password' : 'text'}
      autoComplete={field.isSecret === true ? 'new-password' : 'off'}
      inputMode={field.kind === 'number' || field.kind === 'id' ? 'numeric' : undefined}
      required={!field.isOptional}
      value={value === undefined || value === null ? '' : textOf(value)}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** Descriptions of flags begin with a small letter and have no full stop. */
function sentenceOf(description: string): string {
  return `${description.charAt(0).toUpperCase()}${description.slice(1)}.`;
}

function readValues(fields: readonly CatalogField[], values: Record<string, unknown>): Record<string, unknown> {
  const entries = fields.map(({ name, kind }) => [name, readValue(kind, values[name])] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function readValue(kind: CatalogField['kind'], value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '') return undefined;
  if (kind === 'number' || kind === 'id') return /^\d+$/.test(text) ? Number(text) : text;
  if (kind === 'texts') return text.split(',').map((part) => part.trim());
  return value;
}

/** @throws what is wrong with which field */
function parseJsonFields(fields: readonly CatalogField[], input: Record<string, unknown>): Record<string, unknown> {
  const parsed = { ...input };
  for (const { name, kind } of fields) {
    const value = parsed[name];
    if (kind !== 'json' || typeof value !== 'string') continue;
    try {
      parsed[name] = JSON.parse(value);
    } catch (error) {
      throw { field: name, text: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
    }
  }
  return parsed;
}

/** The server names the field before a colon: `name: must not be empty`. */
function problemOf(error: Error, fields: readonly CatalogField[]): { field: string | null; text: string } {
  const [, name, text] = /^(\w+)(?:\.[\w.]+)?: (.+)$/s.exec(error.message) ?? [];
  const field =
    error instanceof DashboardError && error.code === 'invalid_input' && fields.find((each) => each.name === name);
  return field && text !== undefined ? { field: field.name, text } : { field: null, text: error.message };
}
