/** The fields of a write policy, made from the JSON Schema of policies. They change the document; its text is beside them. */
import { type ReactNode, useContext } from 'react';
import { textOf } from '../../../forms/command-line.ts';
import { labelOf } from '../../../forms/label.ts';
import { Button } from '../../../parts/button.tsx';
import { SelectField, SwitchField, TextField } from '../../../parts/field.tsx';
import { branchOf, isRecord, marksBelow, type SchemaNode, withKey } from './policy-document.ts';
import { Entries } from './policy-entries.tsx';
import { type FieldProps, Marks, MarksContext, problemsIn } from './policy-marks.tsx';
import styles from './policy.module.css';

export function PolicyFields({
  schema,
  document,
  onChange,
}: {
  schema: SchemaNode;
  document: Record<string, unknown>;
  onChange: (document: Record<string, unknown>) => void;
}) {
  return (
    <div className={styles['fields']}>
      <Properties
        schema={schema}
        path=""
        value={document}
        onChange={(next) => onChange(isRecord(next) ? next : {})}
        hidden={['$schema']}
      />
    </div>
  );
}

/** The fields of an object. */
function Properties({
  schema,
  path,
  value,
  onChange,
  hidden = [],
}: Omit<FieldProps, 'label' | 'isRequired'> & { hidden?: readonly string[] }) {
  const { properties = {}, required = [] } = schema;
  const marks = useContext(MarksContext);
  const inner = Object.keys(properties).map((key) => joinPath(path, key));
  // What is wrong with the object, or with a key that it cannot have.
  const own = marksBelow(marks, path).filter((mark) => !inner.some((each) => isWithin(mark.path, each)));
  return (
    <>
      <Marks marks={own} path={path} />
      {Object.entries(properties)
        .filter(([key]) => !hidden.includes(key))
        .map(([key, property]) => (
          <Field
            key={key}
            schema={property}
            path={joinPath(path, key)}
            label={labelOf(key)}
            value={isRecord(value) ? value[key] : undefined}
            onChange={(next) => onChange(withKey(value, key, next))}
            isRequired={required.includes(key)}
          />
        ))}
    </>
  );
}

function Field(props: FieldProps) {
  const { schema, path, label, value, onChange, isRequired } = props;
  const marks = marksBelow(useContext(MarksContext), path);
  const hint = schema.description;
  const isScalarUnion = schema.anyOf?.every(({ type }) => ['string', 'number', 'boolean'].includes(type ?? ''));
  if (schema.type === 'boolean') {
    return (
      <div>
        <SwitchField label={label} hint={hint} checked={(value ?? schema.default) === true} onChange={onChange} />
        <Marks marks={marks} path={path} />
      </div>
    );
  }
  if (schema.enum !== undefined) {
    return (
      <SelectField
        label={label}
        hint={hint}
        error={problemsIn(marks)}
        value={textOf(value ?? schema.default ?? '')}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
      >
        {schema.default === undefined && <option value="">–</option>}
        {schema.enum.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </SelectField>
    );
  }
  if (schema.type === 'string' || isScalarUnion) {
    return (
      <TextField
        label={isRequired || schema.default !== undefined ? label : `${label} (optional)`}
        hint={hint}
        error={problemsIn(marks)}
        placeholder={typeof schema.default === 'string' ? schema.default : undefined}
        value={value === undefined || value === null ? '' : textOf(value)}
        onChange={(event) => onChange(event.target.value === '' ? undefined : toScalar(event.target.value, schema))}
      />
    );
  }
  if (schema.type === 'array' && schema.items?.type !== 'object') return <Entries {...props} />;
  if (path.endsWith('when')) return <Conditions {...props} />;
  // Objects that are always there, and lists without a state of their own.
  if (schema.type === 'object' && (isRequired || schema.default !== undefined)) return <Group {...props} />;
  if (schema.type === 'array' && schema.default !== undefined) return <List {...props} />;
  return <Union {...props} />;
}

/** A part that can be left out, or that has several forms. */
function Union({ schema, path, label, value, onChange }: FieldProps) {
  const marks = marksBelow(useContext(MarksContext), path);
  const options = (schema.anyOf ?? [schema]).flatMap(optionsOf);
  const chosen = options.find((option) => option.fits(value));
  const inner = chosen?.schema;
  const shared = { path, label, value, onChange, isRequired: true };
  return (
    <Fieldset label={label}>
      <SelectField
        label={<span className="visually-hidden">{label}</span>}
        hint={schema.description}
        error={inner === undefined ? problemsIn(marks) : null}
        value={chosen?.label ?? ''}
        onChange={(event) => onChange(options.find((option) => option.label === event.target.value)?.value)}
      >
        <option value="">{path.includes('.') ? 'no' : 'not set'}</option>
        {options.map((option) => (
          <option key={option.label}>{option.label}</option>
        ))}
      </SelectField>
      {inner?.type === 'object' && <Properties {...shared} schema={inner} />}
      {inner?.type === 'array' && inner.items?.type === 'object' && <Items {...shared} schema={inner} />}
      {inner?.type === 'array' && inner.items?.type !== 'object' && <Entries {...shared} schema={inner} />}
    </Fieldset>
  );
}

interface Option {
  readonly label: string;
  /** What the document has when somebody chooses it. */
  readonly value: unknown;
  /** Fields for the rest; absent when the choice is the value. */
  readonly schema?: SchemaNode;
  readonly fits: (value: unknown) => boolean;
}

function optionsOf(schema: SchemaNode): Option[] {
  const choice = (label: string, value: unknown): Option => ({ label, value, fits: (given) => given === value });
  switch (schema.type) {
    case 'null':
      return [choice('none (null)', null)];
    case 'boolean':
      return [choice('yes', true), choice('no', false)];
    case 'object': {
      const [only, ...more] = Object.keys(schema.properties ?? {});
      const label = only !== undefined && more.length === 0 ? labelOf(only).toLowerCase() : 'as follows';
      return [{ label, value: initialOf(schema), schema, fits: isRecord }];
    }
    case 'array':
      return [{ label: 'as follows', value: [], schema, fits: Array.isArray }];
    default:
      return (schema.enum ?? []).map((value) => choice(value, value));
  }
}

/** Returns an object with the lists and objects that it must have; texts are filled in by the user. */
function initialOf({ type, properties = {}, required = [] }: SchemaNode): unknown {
  if (type === 'array') return [];
  const wanted = required.filter((key) => ['array', 'object'].includes(properties[key]?.type ?? ''));
  return Object.fromEntries(wanted.map((key) => [key, initialOf(properties[key] ?? {})]));
}

function Group({ schema, path, label, value, onChange }: FieldProps) {
  return (
    <Fieldset label={label} hint={schema.description}>
      <Properties schema={schema} path={path} value={value} onChange={onChange} />
    </Fieldset>
  );
}

/** The conditions that are given, and a choice that adds one. */
function Conditions({ schema: { properties = {}, description }, path, label, value, onChange }: FieldProps) {
  const marks = marksBelow(useContext(MarksContext), path);
  const given = isRecord(value) ? value : {};
  const known = Object.keys(properties);
  const own = marks.filter((mark) => !known.some((key) => key in given && isWithin(mark.path, joinPath(path, key))));
  return (
    <Fieldset label={label} hint={description}>
      <Marks marks={own} path={path} />
      {known
        .filter((key) => key in given)
        .map((key) => (
          <div key={key} className={styles['condition']}>
            <Entries
              schema={properties[key] ?? {}}
              path={joinPath(path, key)}
              label={labelOf(key)}
              value={given[key]}
              onChange={(next) => onChange(withKey(given, key, next))}
              isRequired
            />
            <Button
              isSmall
              aria-label={`Remove the condition ${key}`}
              onClick={() => onChange(withKey(given, key, undefined))}
            >
              Remove
            </Button>
          </div>
        ))}
      <SelectField
        label={<span className="visually-hidden">Add a condition</span>}
        value=""
        onChange={(event) => onChange(withKey(given, event.target.value, []))}
      >
        <option value="">Add a condition …</option>
        {known
          .filter((key) => !(key in given))
          .map((key) => (
            <option key={key} value={key}>
              {labelOf(key).toLowerCase()}
            </option>
          ))}
      </SelectField>
    </Fieldset>
  );
}

function List(props: FieldProps) {
  return (
    <Fieldset label={props.label} hint={props.schema.description}>
      <Items {...props} />
    </Fieldset>
  );
}

/** What one entry of a list is called. */
const ENTRIES: Readonly<Record<string, string>> = { events: 'Rule', outcomes: 'Rule', map: 'Entry', fields: 'Field' };

/** The entries of a list of objects, whose order counts. */
function Items({ schema, path, label, value, onChange }: FieldProps) {
  const marks = useContext(MarksContext).filter((mark) => mark.path === path);
  const entries: unknown[] = Array.isArray(value) ? value : [];
  const items = branchOf({}, schema.items) ?? {};
  const one = ENTRIES[path.split('.').at(-1) ?? ''] ?? label;
  return (
    <>
      <Marks marks={marks} path={path} />
      {entries.map((entry, index) => (
        <Fieldset key={index} label={`${one} ${index + 1}`}>
          <div className={styles['buttons']}>
            <Button
              isSmall
              disabled={index === 0}
              aria-label={`Move ${one} ${index + 1} up`}
              onClick={() => onChange(moveUp(entries, index))}
            >
              Up
            </Button>
            <Button
              isSmall
              aria-label={`Remove ${one} ${index + 1}`}
              onClick={() => onChange(entries.filter((_each, at) => at !== index))}
            >
              Remove
            </Button>
          </div>
          <Properties
            schema={items}
            path={joinPath(path, String(index))}
            value={entry}
            onChange={(next) => onChange(entries.with(index, next))}
          />
        </Fieldset>
      ))}
      <div>
        <Button isSmall onClick={() => onChange([...entries, initialOf(items)])}>
          Add {one.toLowerCase()} {entries.length + 1}
        </Button>
      </div>
    </>
  );
}

function moveUp(entries: readonly unknown[], index: number): unknown[] {
  return [...entries.slice(0, index - 1), entries[index], entries[index - 1], ...entries.slice(index + 1)];
}

function Fieldset({ label, hint, children }: { label: string; hint?: string | undefined; children: ReactNode }) {
  return (
    <fieldset className={styles['group']}>
      <legend>{label}</legend>
      {hint !== undefined && <p className={styles['hint']}>{hint}</p>}
      {children}
    </fieldset>
  );
}

function toScalar(text: string, { anyOf = [] }: SchemaNode): unknown {
  const types = anyOf.map(({ type }) => type);
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true';
  return types.includes('number') && String(Number(text)) === text ? Number(text) : text;
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`);
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
