import type { Manifest, ManifestCommand, ManifestFlag } from '../../command/manifest.ts';

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** Resources whose ids are fetched from the service. */
export type IdKind = 'connections' | 'sources' | 'destinations' | 'blocklists' | 'webhooks';

/** The kind of completion at the cursor. */
export type Wanted =
  | { readonly kind: 'list'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'ids'; readonly of: IdKind }
  | { readonly kind: 'profiles' }
  | { readonly kind: 'files' };

export interface Position {
  readonly wanted: Wanted;
  /** The part that has been typed. */
  readonly typed: string;
  /** Text before the candidates in the same word, such as `--status=`. */
  readonly prefix: string;
  /** Flags before the cursor that determine the credentials. */
  readonly credentials: { readonly profile?: string; readonly 'base-url'?: string };
}

const NOTHING: Wanted = { kind: 'list', candidates: [] };

/**
 * Finds out what can be completed at the cursor.
 *
 * @param words words after `svc`, the last word may be incomplete
 */
export function findPosition(manifest: Manifest, words: readonly string[]): Position {
  const typed = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  // `svc help syncs list` is the same as `svc syncs list --help`.
  const names = before[0] === 'help' ? before.slice(1) : before;
  const id = longestCommand(manifest, names);
  if (id === null || before[0] === 'help') {
    const path = id ?? names.join(':');
    return { wanted: nextWords(manifest, path, before.length === 0), typed, prefix: '', credentials: {} };
  }
  const command = manifest.commands[id];
  if (command === undefined) return { wanted: NOTHING, typed, prefix: '', credentials: {} };
  return inCommand(id, command, before.slice(id.split(':').length), typed);
}

function longestCommand({ commands }: Manifest, words: readonly string[]): string | null {
  for (let length = words.length; length > 0; length -= 1) {
    const id = words.slice(0, length).join(':');
    if (Object.hasOwn(commands, id)) return id;
  }
  return null;
}

/** Returns the possible next words of a command name. */
function nextWords({ commands, topics }: Manifest, path: string, isFirst: boolean): Wanted {
  const start = path === '' ? '' : `${path}:`;
  const found = new Map<string, string>();
  for (const [id, { summary = '', hidden }] of Object.entries(commands)) {
    if (hidden === true || !id.startsWith(start)) continue;
    const [word = '', ...rest] = id.slice(start.length).split(':');
    const description = rest.length === 0 ? summary : (topics[word]?.description ?? '');
    if (!found.has(word) || rest.length === 0) found.set(word, description);
  }
  if (isFirst) found.set('help', 'Explain a command');
  const candidates = [...found].map(([value, description]) => ({ value, description }));
  return { kind: 'list', candidates: candidates.sort((one, other) => (one.value < other.value ? -1 : 1)) };
}

function inCommand(id: string, command: ManifestCommand, before: readonly string[], typed: string): Position {
  const flags = Object.values(command.flags).filter(({ hidden }) => hidden !== true);
  const read = readWords(flags, before);
  const { credentials } = read;
  if (read.open !== null) return { wanted: valuesOf(read.open), typed, prefix: '', credentials };
  if (!read.isOnlyArguments && typed.startsWith('-')) {
    const [, name, value] = /^--([^=]+)=([^]*)$/.exec(typed) ?? [];
    if (name === undefined || value === undefined) {
      return { wanted: { kind: 'list', candidates: flagNames(flags, read.used) }, typed, prefix: '', credentials };
    }
    const flag = flags.find((known) => known.name === name && known.type === 'option');
    const wanted = flag === undefined ? NOTHING : valuesOf(flag);
    return { wanted, typed: value, prefix: `--${name}=`, credentials };
  }
  return { wanted: argumentValues(id, command, read.argumentCount), typed, prefix: '', credentials };
}

interface ReadWords {
  readonly used: ReadonlySet<string>;
  readonly argumentCount: number;
  /** The flag whose value comes next. */
  readonly open: ManifestFlag | null;
  /** After `--`. */
  readonly isOnlyArguments: boolean;
  readonly credentials: Position['credentials'];
}

function readWords(flags: readonly ManifestFlag[], words: readonly string[]): ReadWords {
  const used = new Set<string>();
  const credentials: { profile?: string; 'base-url'?: string } = {};
  const note = (flag: ManifestFlag, value: string) => {
    if (flag.name === 'profile' || flag.name === 'base-url') credentials[flag.name] = value;
  };
  let argumentCount = 0;
  let open: ManifestFlag | null = null;
  let isOnlyArguments = false;
  for (const word of words) {
    if (open !== null) {
      note(open, word);
      open = null;
    } else if (word === '--') isOnlyArguments = true;
    else if (isOnlyArguments || !/^-./.test(word)) argumentCount += 1;
    else {
      const equals = word.indexOf('=');
      const name = equals === -1 ? word : word.slice(0, equals);
      const flag = flags.find((known) => name === `--${known.name}` || name === `-${known.char}`);
      if (flag === undefined) continue;
      used.add(flag.name);
      if (flag.type === 'option' && equals === -1) open = flag;
      else if (equals !== -1) note(flag, word.slice(equals + 1));
    }
  }
  return { used, argumentCount, open, isOnlyArguments, credentials };
}

/** Returns flag names, the command's own first, without used flags that may not be repeated. */
function flagNames(flags: readonly ManifestFlag[], used: ReadonlySet<string>): Candidate[] {
  const isGlobal = (flag: ManifestFlag) => flag.helpGroup === 'GLOBAL';
  const open = flags.filter(({ name, multiple }) => multiple === true || !used.has(name));
  const inOrder = [...open.filter((flag) => !isGlobal(flag)), ...open.filter(isGlobal)];
  const named = inOrder.map(({ name, description = '' }) => ({ value: `--${name}`, description }));
  return [...named, { value: '--help', description: 'Explain the command' }];
}

const IDS_OF_FLAG: Readonly<Record<string, IdKind>> = {
  connection: 'connections',
  source: 'sources',
  destination: 'destinations',
  blocklist: 'blocklists',
  webhook: 'webhooks',
};

function valuesOf(flag: ManifestFlag): Wanted {
  if (flag.options !== undefined) return toList(flag.options);
  if (flag.name === 'profile') return { kind: 'profiles' };
  const ids = IDS_OF_FLAG[flag.name];
  if (ids !== undefined) return { kind: 'ids', of: ids };
  return /FILE|DIR|FOLDER/.test(String(flag.helpValue ?? '')) ? { kind: 'files' } : NOTHING;
}

const IDS_OF_TOPIC: Readonly<Record<string, IdKind>> = {
  connections: 'connections',
  sources: 'sources',
  destinations: 'destinations',
  blocklists: 'blocklists',
  webhooks: 'webhooks',
};

function argumentValues(id: string, command: ManifestCommand, index: number): Wanted {
  const all = Object.values(command.args);
  const last = all.at(-1);
  const isRepeated = command.strict === false || last?.multiple === true;
  const argument = all[index] ?? (isRepeated ? last : undefined);
  if (argument === undefined) return NOTHING;
  if (argument.options !== undefined) return toList(argument.options);
  const topic = id.split(':')[0] ?? '';
  if (topic === 'profiles' && argument.name === 'name') return { kind: 'profiles' };
  const ids = IDS_OF_TOPIC[topic];
  // Only `id` is the id of the topic's resource; other arguments, such as `delivery`, are not.
  if (ids !== undefined && /^ids?$/i.test(argument.name)) return { kind: 'ids', of: ids };
  return /^(file|body)s?$/i.test(argument.name) ? { kind: 'files' } : NOTHING;
}

function toList(values: readonly string[]): Wanted {
  return { kind: 'list', candidates: values.map((value) => ({ value, description: '' })) };
}
