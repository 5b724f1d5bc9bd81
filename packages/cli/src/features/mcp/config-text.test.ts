import { describe, expect, test } from 'vitest';
import { describeChange, editConfig, mergeEntry, readEntry } from './config-text.ts';

const PLACE = { section: 'mcpServers' } as const;
const ENTRY = { command: '/node', args: ['/x/bin/run.js', 'mcp', '--profile', 'a'] };

describe('the text of a file', () => {
  test('unknown keys, other servers and their order stay', () => {
    const text = '{"theme":"dark","mcpServers":{"other":{"command":"x","env":{"TOKEN":"t"}}},"last":[1,2]}';
    const edited = editConfig(text, PLACE, ENTRY);
    expect(JSON.parse(edited)).toEqual({
      theme: 'dark',
      mcpServers: { other: { command: 'x', env: { TOKEN: 't' } }, svc: ENTRY },
      last: [1, 2],
    });
    expect(Object.keys(JSON.parse(edited))).toEqual(['theme', 'mcpServers', 'last']);
    expect(JSON.parse(editConfig(edited, PLACE, null))).toEqual(JSON.parse(text));
  });

  test('tabs, CRLF, a byte order mark and a missing last line end stay', () => {
    const edited = editConfig('\uFEFF{\r\n\t"a": 1\r\n}', PLACE, { command: 'x' });
    expect(edited).toBe(
      '\uFEFF{\r\n\t"a": 1,\r\n\t"mcpServers": {\r\n\t\t"svc": {\r\n\t\t\t"command": "x"\r\n\t\t}\r\n\t}\r\n}',
    );
  });

  test.each([null, '', ' \n'])('%j becomes a new document', (text) => {
    expect(editConfig(text, PLACE, { command: 'x' })).toBe(
      '{\n  "mcpServers": {\n    "svc": {\n      "command": "x"\n    }\n  }\n}\n',
    );
  });

  test.each([
    ['{ "mcpServers": {', 'it is not JSON'],
    ['{\n  // mine\n  "mcpServers": {}\n}', 'it is JSON with comments, which would be lost'],
    ['[]', 'it is not a JSON object'],
    ['{"mcpServers": []}', 'mcpServers in it is not an object'],
    ['{"mcpServers": {"svc": "secret"}}', 'mcpServers.svc in it is not an object'],
  ])('%j is refused', (text, message) => {
    expect(() => readEntry(text, PLACE)).toThrow(message);
  });

  test('VS Code asks for the key, once, and no longer after a removal', () => {
    const place = { section: 'servers', asksForKey: true } as const;
    const mine = { type: 'promptString', id: 'mine' };
    const text = JSON.stringify({ inputs: [mine], servers: {} });
    const once = editConfig(text, place, { type: 'http', url: 'u' });
    const question = { type: 'promptString', id: 'svc-api-key', description: 'API key for svc', password: true };
    expect(JSON.parse(once).inputs).toEqual([mine, question]);
    expect(editConfig(once, place, { type: 'http', url: 'u' })).toBe(once);
    expect(JSON.parse(editConfig(once, place, null))).toEqual(JSON.parse(text));
  });
});

test('what the user added to the entry stays; another way to the server does not', () => {
  const old = { url: 'https://a', headers: { A: 'secret' }, disabled: true, env: { PROXY: 'p' } };
  expect(mergeEntry(old, ENTRY)).toEqual({ ...ENTRY, env: { PROXY: 'p' }, disabled: true });
});

describe('the shown change', () => {
  test('of a new entry has all of it', () => {
    expect(describeChange(null, ENTRY)).toEqual([
      '+ "command": "/node"',
      '+ "args": ["/x/bin/run.js", "mcp", "--profile", "a"]',
    ]);
  });

  test('of an own entry has the old arguments', () => {
    const old = { ...ENTRY, args: ['/x/bin/run.js', 'mcp', '--profile', 'b'] };
    expect(describeChange(old, ENTRY)).toEqual([
      '- "args": ["/x/bin/run.js", "mcp", "--profile", "b"]',
      '+ "args": ["/x/bin/run.js", "mcp", "--profile", "a"]',
    ]);
  });

  test('hides the values of an entry that somebody else wrote', () => {
    const old = { command: 'npx', args: ['x', 'mcp', '--key', 'secret'], env: { KEY: 'secret' }, token: 'secret' };
    const lines = describeChange(old, mergeEntry(old, { ...ENTRY, env: { SVC_CONFIG_DIR: '/c' } }));
    expect(lines.join('\n')).not.toContain('secret');
    expect(lines).toContain('- "env": (not shown)');
    expect(lines).toContain('+ "env": { "KEY": "(as before)", "SVC_CONFIG_DIR": "/c" }');
  });
});
