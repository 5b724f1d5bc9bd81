import { type Entry, type McpClient, SERVER_NAME } from './mcp-client.ts';

/** Returns an entry as the user can paste it: TOML for `mcp_servers`, else JSON. */
export function renderSnippet(section: McpClient['section'], entry: Entry): string {
  if (section !== 'mcp_servers') return JSON.stringify({ [section]: { [SERVER_NAME]: entry } }, null, 2);
  const { env = {}, ...own } = entry;
  const variables = Object.entries(env as object);
  return [
    `[${section}.${SERVER_NAME}]`,
    ...Object.entries(own).map(tomlLine),
    ...(variables.length === 0 ? [] : ['', `[${section}.${SERVER_NAME}.env]`, ...variables.map(tomlLine)]),
  ].join('\n');
}

/** Strings and lists of strings look the same in JSON and TOML. */
function tomlLine([key, value]: readonly [string, unknown]): string {
  return `${key} = ${Array.isArray(value) ? `[${value.map((each) => JSON.stringify(each)).join(', ')}]` : JSON.stringify(value)}`;
}
