/** Reads a configuration file: resolves its templates, checks it, and reads the secrets that it refers to. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readVariable } from '@svc/engine/config/config';
import {
  accountSchema,
  type ConfigAccount,
  templatedAccount,
  templateSchema,
} from '@svc/operations/declared/config-file';
import { invalidInput } from '@svc/operations/implemented/admin-error';
import type { LineCounter, Document } from 'yaml';
import type * as z from 'zod';

export interface ConfigDocument {
  /** Without templates. Secrets are still references. */
  accounts: unknown[];
  /** The values by their references. */
  secrets: Record<string, string>;
}

type Path = readonly PropertyKey[];

interface Parsed {
  file: string;
  document: Document;
  lines: LineCounter;
}

/** @throws AdminError with file, line and place of each problem */
export async function readConfigDocument(file: string, accountName?: string): Promise<ConfigDocument> {
  const parsed = await parse(file);
  const problems: string[] = [];
  const report = (path: Path, message: string) => problems.push(`${placeOf(parsed, path)}: ${message}`);
  const given: unknown = parsed.document.toJS({ maxAliasCount: 0 });
  const { version, templates = {}, accounts, ...others } = asObject(given);
  for (const key of Object.keys(others)) report([key], 'is no key here, only version, templates and accounts');
  if (version !== 1) report(['version'], 'must be 1');
  if (!Array.isArray(accounts)) report(['accounts'], 'must be a list');
  const known = asObject(templates);
  const resolved = (Array.isArray(accounts) ? accounts : []).map((account: unknown, index): [unknown, Path] =>
    isObject(account) && 'template' in account
      ? expand(account, known, ['accounts', index], report)
      : [account, ['accounts', index]],
  );
  const references = new Map<string, Path>();
  for (const [account, place] of resolved) {
    const { error, data } = accountSchema.safeParse(account, { reportInput: true });
    for (const issue of error?.issues ?? []) reportIssue(issue, place, report);
    if (data !== undefined) findReferences(data, place, references);
  }
  if (problems.length > 0) throw invalidInput(problems.join('\n'));
  const chosen = resolved
    .map(([account]) => account)
    .filter((account) => accountName === undefined || asObject(account)['name'] === accountName);
  if (chosen.length === 0 && accountName !== undefined) throw invalidInput(`${file} has no account ${accountName}.`);
  const used = new Map<string, Path>();
  for (const account of chosen) findReferences(accountSchema.parse(account), [], used);
  const secrets: Record<string, string> = {};
  for (const reference of used.keys()) {
    const path = references.get(reference) ?? [];
    secrets[reference] = await readReference(reference, file).catch((error: unknown) => {
      throw invalidInput(`${placeOf(parsed, path)}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  return { accounts: chosen, secrets };
}

/** More than thousands of clients need, and less than an operation takes. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;

async function parse(file: string): Promise<Parsed> {
  // Loaded late: few commands need it.
  const { LineCounter, parseDocument } = await import('yaml');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw invalidInput(`The file cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (text.length > FILE_BYTES_MAX) throw invalidInput(`${file} is larger than ${FILE_BYTES_MAX} bytes.`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) throw invalidInput(`${file}:${error.linePos?.[0].line ?? 1}: is not YAML: ${error.message}`);
  return { file, document, lines };
}

/** Returns `clients.yaml:12: accounts.0.email`. The line is that of the nearest place that the file has. */
function placeOf({ file, document, lines }: Parsed, path: Path): string {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const start = isObject(node) && Array.isArray(node['range']) ? Number(node['range'][0]) : null;
    if (start !== null) return `${file}:${lines.linePos(start).line}: ${path.map(String).join('.') || 'the file'}`;
  }
  return `${file}: ${path.map(String).join('.')}`;
}

type Report = (path: Path, message: string) => void;

/** Returns the account that a template makes, and where the file has its body. */
function expand(account: object, templates: Record<string, unknown>, place: Path, report: Report): [unknown, Path] {
  const checked = templatedAccount.safeParse(account, { reportInput: true });
  for (const issue of checked.error?.issues ?? []) reportIssue(issue, place, report);
  if (checked.data === undefined) return [account, place];
  const { name, template, with: values } = checked.data;
  const body = templates[template];
  const parsed = templateSchema.safeParse(body);
  if (parsed.data === undefined) {
    report(
      [...place, 'template'],
      body === undefined ? `there is no template ${template}` : `template ${template} is not valid`,
    );
    return [account, place];
  }
  const { parameters, ...rest } = parsed.data;
  for (const given of Object.keys(values)) {
    if (!parameters.includes(given))
      report([...place, 'with', given], `template ${template} has no parameter ${given}`);
  }
  for (const needed of parameters) {
    if (!(needed in values)) report([...place, 'with'], `the parameter ${needed} of template ${template} is missing`);
  }
  const inside = ['templates', template];
  const used = new Set<string>();
  const resolvedBody = substitute(rest, { ...values, name }, inside, used, report);
  for (const [index, parameter] of parameters.entries()) {
    if (!used.has(parameter)) report([...inside, 'parameters', index], `the template does not use ${parameter}`);
  }
  return [{ name, ...asObject(resolvedBody) }, inside];
}

function substitute(
  value: unknown,
  values: Readonly<Record<string, unknown>>,
  path: Path,
  used: Set<string>,
  report: Report,
): unknown {
  if (Array.isArray(value))
    return value.map((inner, index) => substitute(inner, values, [...path, index], used, report));
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, inner]) => [
      key,
      substitute(inner, values, [...path, key], used, report),
    ]);
    return Object.fromEntries(entries);
  }
  if (typeof value !== 'string') return value;
  const read = (parameter: string) => {
    used.add(parameter);
    if (!(parameter in values)) report(path, `there is no parameter ${parameter}`);
    return values[parameter];
  };
  // A text that is only a parameter gets its type too.
  const [, whole] = /^\$\{(\w+)\}$/.exec(value) ?? [];
  if (whole !== undefined) return read(whole);
  return value.replaceAll(/\$\{(\w+)\}/g, (_match, parameter: string) => String(read(parameter)));
}

function reportIssue(issue: z.core.$ZodIssue, place: Path, report: Report): void {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) report([...place, ...issue.path, key], 'is no key here');
    return;
  }
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  report([...place, ...issue.path], isMissing ? 'is missing' : issue.message);
}

/** Adds the references to secrets of an account, with where they are. */
function findReferences(account: ConfigAccount, place: Path, found: Map<string, Path>): void {
  const add = (reference: string | undefined, ...path: (string | number)[]) => {
    if (reference !== undefined) found.set(reference, [...place, ...path]);
  };
  for (const [index, { secret }] of account.webhookEndpoints.entries())
    add(secret, 'webhookEndpoints', index, 'secret');
  for (const [key, { token }] of account.sequencerKeys.entries()) add(token, 'sequencerKeys', key, 'token');
  for (const [index, { token, sources, blocklists }] of account.connections.entries()) {
    const path = ['connections', index] as const;
    add(token, ...path, 'token');
    for (const [source, { secret }] of sources.entries())
      add(secret?.value, ...path, 'sources', source, 'secret', 'value');
    for (const [list, one] of blocklists.entries()) add(one.token, ...path, 'blocklists', list, 'token');
  }
}

async function readReference(reference: string, file: string): Promise<string> {
  const [, kind, name = ''] = /^(env|file):(.*)$/.exec(reference) ?? [];
  if (kind === 'file') {
    const text = await readFile(resolve(dirname(file), name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new Error(`the file of the secret cannot be read: ${error.message}`);
    });
    if (text.trim() === '') throw new Error(`the file ${name} is empty`);
    return text.trim();
  }
  const value = readVariable(name)?.trim() ?? '';
  if (value === '') throw new Error(`the variable ${name} is not set`);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
