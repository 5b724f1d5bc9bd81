import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../format/fields.ts';
import { type Entry, KEY_INPUT, type McpClient, SERVER_NAME } from './mcp-client.ts';

type Root = Record<string, unknown>;
type Place = Pick<McpClient, 'section' | 'asksForKey'>;

/** What an entry says about the way to the server. All other keys are the user's. */
const WAY = new Set([
  ...['type', 'command', 'args', 'env', 'url', 'serverUrl', 'httpUrl', 'headers'],
  'bearer_token_env_var',
]);

/** The text of a configuration file cannot be edited; the message says why, without quoting it. */
export class ConfigTextError extends Error {
  override readonly name = 'ConfigTextError';
}

/** @throws ConfigTextError */
export function readEntry(text: string | null, { section }: Place): Entry | null {
  const servers = readServers(parseRoot(text), section);
  const entry = Object.hasOwn(servers, SERVER_NAME) ? servers[SERVER_NAME] : undefined;
  if (entry === undefined) return null;
  if (!isRecord(entry)) throw new ConfigTextError(`${section}.${SERVER_NAME} in it is not an object`);
  return entry;
}

/** Returns the entry with what the user added to the old one. */
export function mergeEntry(old: Entry | null, entry: Entry): Entry {
  if (old === null) return entry;
  const others = Object.fromEntries(Object.entries(old).filter(([key]) => !WAY.has(key)));
  const env = 'command' in entry && isRecord(old.env) ? { env: { ...old.env, ...(entry.env as object) } } : {};
  return { ...entry, ...env, ...others };
}

export function isSameEntry(one: Entry | null, other: Entry | null): boolean {
  return isDeepStrictEqual(one, other);
}

/**
 * Returns the text with another entry. All else keeps its meaning, and indentation, line ends and byte order mark stay.
 *
 * @param text null if there is no file
 * @param entry null removes it
 * @throws ConfigTextError
 */
export function editConfig(text: string | null, place: Place, entry: Entry | null): string {
  const root = parseRoot(text);
  const { [SERVER_NAME]: _old, ...others } = readServers(root, place.section);
  root[place.section] = entry === null ? others : { ...readServers(root, place.section), [SERVER_NAME]: entry };
  if (place.asksForKey === true) setKeyQuestion(root, entry !== null && 'url' in entry);
  const indent = /^([\t ]+)"/m.exec(text ?? '')?.[1] ?? '  ';
  const end = text === null || text.trim() === '' || text.endsWith('\n') ? '\n' : '';
  const edited = `${text?.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''}${JSON.stringify(root, null, indent)}${end}`;
  return text?.includes('\r\n') ? edited.replaceAll('\n', '\r\n') : edited;
}

const BYTE_ORDER_MARK = '\uFEFF';

function parseRoot(text: string | null): Root {
  const content = (text ?? '').replace(BYTE_ORDER_MARK, '');
  if (content.trim() === '') return {};
  let root: unknown;
  try {
    root = JSON.parse(content);
  } catch {
    // The parser's message would quote the file, which may contain keys.
    throw new ConfigTextError(
      /^\s*(\/\/|\/\*)/m.test(content) ? 'it is JSON with comments, which would be lost' : 'it is not JSON',
    );
  }
  if (!isRecord(root)) throw new ConfigTextError('it is not a JSON object');
  return root;
}

function readServers(root: Root, section: string): Root {
  const servers = root[section] ?? {};
  if (!isRecord(servers)) throw new ConfigTextError(`${section} in it is not an object`);
  return servers;
}

function setKeyQuestion(root: Root, isNeeded: boolean): void {
  const { inputs = [] } = root;
  if (!Array.isArray(inputs)) throw new ConfigTextError('inputs in it is not a list');
  const others = inputs.filter((input: unknown) => !isRecord(input) || input.id !== KEY_INPUT);
  if (!isNeeded && others.length === inputs.length) return;
  const question = { type: 'promptString', id: KEY_INPUT, description: 'API key for svc', password: true };
  root.inputs = isNeeded ? [...others, question] : others;
}

/**
 * Returns a line for each key that changes, with `-` or `+`. Values of an entry that `svc mcp install` did not write are not
 * shown: they may contain keys.
 */
export function describeChange(old: Entry | null, entry: Entry | null): string[] {
  const words: readonly unknown[] = Array.isArray(old?.args) ? old.args : [];
  const isOurs = String(words[0]).endsWith('run.js') && words[1] === 'mcp';
  const line = (sign: string, key: string, value: unknown) => `${sign} ${JSON.stringify(key)}: ${spaced(value)}`;
  return [...new Set([...Object.keys(old ?? {}), ...Object.keys(entry ?? {})])].flatMap((key) => {
    const [before, after] = [old?.[key], entry?.[key]];
    if (isDeepStrictEqual(before, after)) return [];
    const isShown = (isOurs && ['command', 'args'].includes(key)) || key === 'type';
    return [
      ...(before === undefined ? [] : [isShown ? line('-', key, before) : `- ${JSON.stringify(key)}: (not shown)`]),
      ...(after === undefined
        ? []
        : [key === 'env' ? `+ "env": ${spaced(newVariables(before, after))}` : line('+', key, after)]),
    ];
  });
}

/** Leaves out variables that were there before, which may contain keys. */
function newVariables(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return after;
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, value === before[name] ? '(as before)' : value]),
  );
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}: ${spaced(each)}`)
    .join(', ')} }`;
}
