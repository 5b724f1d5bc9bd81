/** Configuration as code (docs/configuration.md). */
import * as z from 'zod';
import type { ConfigKind } from '../store/config-rows.ts';
import { accountsSchema, configName, secretReference } from './config-file.ts';
import { declare, flagged, list, noun, one } from './declare.ts';
import { id, secret } from './fields.ts';
import { countOf } from './removal.ts';

/** The kinds of rows that `config rename` names. Sequencer keys have names anyway. */
const NAMED_KINDS = [
  'account',
  'connection',
  'source',
  'destination',
  'relay',
  'blocklist',
  'webhook',
] as const satisfies readonly ConfigKind[];

export interface ConfigStep {
  action: 'create' | 'update' | 'remove';
  kind: ConfigKind;
  /** The names from the account on: `acme/main/smartlead`. */
  path: string;
  /** A removal has the number of rows of each kind that go with the row, or stay without it. */
  changes: { field: string; from: unknown; to: unknown }[];
}

/** What a user of the CRM must do first. */
export interface ManualStep {
  path: string;
  what: string;
}

const file = {
  /** The accounts of the file, without templates. URLs may be secret, so the audit log keeps none of it. */
  accounts: accountsSchema.meta({ audit: 'nothing' }),
  /** Of the secrets that the file refers to, the values by their references. */
  secrets: z.record(secretReference, secret).default({}).meta({ audit: 'nothing' }),
  prunes: z
    .boolean()
    .default(false)
    .meta(flagged('--prune', 'remove what belongs to accounts of the file and is not in it')),
};

const planned = {
  /** Empty when the file says what is stored. */
  steps: list<ConfigStep>('action', 'kind', 'path', 'changes'),
  manual: list<ManualStep>('path', 'what'),
  /** What belongs to accounts of the file, is not in it, and stays. */
  unlisted: list<{ kind: ConfigKind; path: string }>('kind', 'path'),
  planId: one<string>(),
};

export const exportConfig = declare({
  name: 'config/export',
  description: 'print accounts and all that belongs to them as a configuration file, without secrets',
  details: 'See [configuration as code](../../docs/configuration.md).',
  example: '--account acme',
  permission: 'read',
  input: z.strictObject({ accountName: configName.meta(flagged('--account <name>', 'only this account')).optional() }),
  result: { accounts: list<object>() },
});

export const planConfig = declare({
  name: 'config/plan',
  description: 'show what a configuration file would change; exits with 2 when there is something',
  example: 'clients.yaml',
  permission: 'read',
  input: z.strictObject(file),
  result: planned,
  print: (plan) => describePlan(plan),
});

export const checkConfig = declare({
  name: 'config/check',
  description: 'the same for a timer: prints nothing but the number of changes',
  example: 'clients.yaml',
  permission: 'read',
  input: z.strictObject(file),
  result: planned,
  print: ({ steps, manual }) => `${countOf(steps.length + manual.length, 'changes')}.`,
});

export const applyConfig = declare({
  name: 'config/apply',
  description: 'do what a plan showed, all of it or nothing',
  details:
    'It refuses when the file or the stored state changed since the plan, and when a CRM does not accept a new token. Repeated after an interruption, it does the plan, or says that nothing is left to do. With `--prune`, removals follow one by one after the rest is done.',
  example: 'clients.yaml --plan 6f1c0d8e2ab94753',
  permission: 'write',
  needsRecentSignIn: true,
  input: z.strictObject({
    ...file,
    planId: z.string('must be text').meta(flagged('--plan <id>', 'the id that config plan showed')),
    /** Whether to ask the CRMs about new tokens first, and to do nothing when one cannot work. */
    checksTokens: z
      .boolean()
      .default(false)
      .meta(flagged('--no-check', 'store new CRM tokens without asking which account and scopes they have')),
  }),
  result: { ...planned, applied: one<number>() },
  print: ({ applied, manual }) =>
    [
      applied === 0 ? 'Nothing is left to do.' : `${countOf(applied, 'steps')} done.`,
      ...manual.map(({ path, what }) => `${path} waits: ${what}`),
    ].join('\n'),
});

export const renameConfig = declare({
  name: 'config/rename',
  description: 'give a row the name by which configuration files know it',
  details: 'Without one it is called by its kind and id, such as `smartlead-7`.',
  example: 'source 7 smartlead-germany',
  permission: 'write',
  input: z.strictObject({
    kind: z.enum(NAMED_KINDS, `must be one of ${NAMED_KINDS.join(', ')}`).meta(flagged('<kind>', 'what it is')),
    id: z
      .union([id, z.string().regex(/^[\w-]+$/, 'must be an id')])
      .meta(flagged('<id>', 'its id', { parse: (text) => (/^\d+$/.test(text) ? Number(text) : text) })),
    name: configName.meta(flagged('<name>', 'the name: lower-case letters, digits and -')),
  }),
  result: { path: one<string>() },
  print: ({ path }) => `It is called ${path} now.`,
});

export const config = noun('config', 'accounts and all that belongs to them as one file', [
  exportConfig,
  planConfig,
  checkConfig,
  applyConfig,
  renameConfig,
]);

interface ShownPlan {
  steps: readonly ConfigStep[];
  manual: readonly ManualStep[];
  unlisted: readonly { kind: ConfigKind; path: string }[];
  planId: string;
}

function describePlan({ steps, manual, unlisted, planId }: ShownPlan): string {
  const count = (wanted: ConfigStep['action']) => steps.filter(({ action }) => action === wanted).length;
  const removed = count('remove');
  const removals = removed === 0 ? '' : `, ${removed} to remove`;
  const summary =
    steps.length === 0
      ? 'No changes.'
      : `Plan: ${count('create')} to create, ${count('update')} to update${removals}. Plan id: ${planId}`;
  return [
    ...steps.flatMap(describeStep),
    ...manual.map(({ path, what }) => `! connection ${path} waits for a user: ${what}`),
    summary,
    ...(unlisted.length === 0 ? [] : [`Not in the file, and left alone without --prune: ${unlisted.length}.`]),
  ].join('\n');
}

const SIGNS = { create: '+', update: '~', remove: '-' };

function describeStep({ action, kind, path, changes }: ConfigStep): string[] {
  const lines = changes.map(({ field, from, to }) => {
    const values = { create: [to], update: [from, to], remove: [from] }[action];
    return `    ${field}: ${values.map(describeValue).join(' -> ')}`;
  });
  return [`${SIGNS[action]} ${kind} ${path}`, ...lines];
}

const SHOWN_CHARACTERS_MAX = 100;

function describeValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX)}...`;
}
