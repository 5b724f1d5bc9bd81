/** `svc-server sources policy | connections policy`. */
import type { ResultOf } from '@svc/operations/declared/declare';
import { noticesOf } from '@svc/operations/declared/policy-notices';
import { renderTable } from '@svc/operations/declared/table';
import {
  checkPolicy,
  listConnectionPolicies,
  listSourcePolicies,
  type PolicyPart,
  setConnectionPolicy,
  setSourcePolicy,
  showConnectionPolicy,
  showSourcePolicy,
} from '@svc/operations/declared/write-policies';
import { invalidInput } from '@svc/operations/implemented/admin-error';
import type { Command } from 'commander';
import { type HandWritten, handWritten } from './define.ts';
import { parseId } from './options.ts';
import { show } from './run.ts';

const ORIGINS: Readonly<Record<PolicyPart['from'], string>> = {
  'source policy': 'the policy of the source',
  'connection policy': 'the policy of the connection',
  switches: 'the switches of the source',
  default: 'the default',
};

/** Prints a policy that could be stored as it is. */
const SHOW = {
  async print({ policy, parts, switches }: ResultOf<typeof showSourcePolicy>) {
    const written = await Promise.all(parts.map(({ name }) => toYaml({ [name]: policy[name] })));
    const lines = parts.flatMap(({ from, version }, index) => [
      `# From ${version === null ? '' : `version ${version} of `}${ORIGINS[from]}:`,
      written[index] ?? '',
    ]);
    const on = Object.entries<boolean | string | null>({ ...switches }).map(
      ([name, value]) => `${name} ${describeSwitch(value)}`,
    );
    return switches === null
      ? { text: lines.join('\n') }
      : { text: lines.join('\n'), note: `The switches of the source also decide (sources update): ${on.join(', ')}.` };
  },
};

function describeSwitch(value: boolean | string | null): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value ?? 'not set';
}

const SET = {
  define: (command: Command) => void command.option('--remove', 'remove the policy; its versions stay listed'),
  async complete(input, { remove }, command) {
    const { policy } = input;
    if (remove === true ? policy !== undefined : policy === undefined) {
      command.error('error: name a file with the policy, or use --remove.');
    }
    // An empty file must not remove it.
    if (policy === null) throw invalidInput('The file has no policy: --remove removes the one of before.');
    return { ...input, policy: remove === true ? null : policy };
  },
} satisfies HandWritten;

const HISTORY = {
  // `--version` is the version of the program.
  define: (command: Command) =>
    void command.option('--show <version>', 'show this version instead of the latest', parseId),
  async print({ versions }: ResultOf<typeof listSourcePolicies>, { show: wanted }: Readonly<Record<string, unknown>>) {
    const [latest] = versions;
    if (latest === undefined) return { text: 'There is no write policy yet: policy set adds one.' };
    const shown = wanted === undefined ? latest : versions.find(({ version }) => version === wanted);
    if (shown === undefined) throw invalidInput(`There is no version ${String(wanted)} of the write policy.`);
    const stateOf = (row: typeof latest) => (row.policy === null ? 'removed' : row === latest ? 'in use' : 'replaced');
    return {
      text: shown.policy === null ? `# Version ${shown.version}: without a write policy.` : await toYaml(shown.policy),
      note: renderTable(versions, { VERSION: 'version', SINCE: 'createdAt', POLICY: stateOf }, ''),
    };
  },
};

export const policies = [
  handWritten(showSourcePolicy, SHOW),
  handWritten(showConnectionPolicy, SHOW),
  handWritten(setSourcePolicy, SET),
  handWritten(setConnectionPolicy, SET),
  handWritten(listSourcePolicies, HISTORY),
  handWritten(listConnectionPolicies, HISTORY),

  handWritten(checkPolicy, {
    async doOtherUse(input, options) {
      if (input['sourceId'] !== undefined) return false;
      const { checkInput } = await import('@svc/operations/implemented/operation');
      const { policy } = checkInput(checkPolicy, input);
      const result = { policy, notices: noticesOf(policy) };
      show(result, options, checkPolicy.print?.(result, { policy }) ?? '');
      return true;
    },
  }),
];

async function toYaml(value: unknown): Promise<string> {
  // Loaded late: few commands need it.
  const { stringify } = await import('yaml');
  return stringify(value, { lineWidth: 0 }).trimEnd();
}
