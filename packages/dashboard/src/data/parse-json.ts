/** JSON that people write. What is wrong is said with its line and column, which browsers do not do alike. */

export type ParsedJson = { readonly value: unknown; readonly problem: null } | { readonly problem: string };

export function parseJson(text: string): ParsedJson {
  try {
    return { value: JSON.parse(text), problem: null };
  } catch (error) {
    const found = findProblem(text);
    if (found === null) return { problem: error instanceof Error ? error.message : String(error) };
    const lines = text.slice(0, found.at).split('\n');
    return { problem: `Line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}: ${found.message}` };
  }
}

const SPACE = /[ \t\r\n]*/y;
const TOKEN =
  /[{}[\],:]|"(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/uy;

interface Problem {
  at: number;
  message: string;
}

/** Returns the first place at which the text is no JSON. */
function findProblem(text: string): Problem | null {
  const closers: string[] = [];
  let wanted: 'value' | 'key' | 'colon' | 'next' = 'value';
  let mayClose = false;
  let at = 0;
  for (;;) {
    at += match(SPACE, text, at).length;
    const token = match(TOKEN, text, at);
    const closer = closers.at(-1);
    if (wanted === 'next' && closer === undefined) {
      return at === text.length ? null : { at, message: 'nothing may follow the end' };
    }
    if (token === closer && (wanted === 'next' || mayClose)) {
      closers.pop();
      wanted = 'next';
    } else if (token === '' && text[at] === '"') {
      return { at, message: 'the text that begins here has no end, or a character that needs a backslash' };
    } else if (wanted === 'next') {
      if (token !== ',') return { at, message: `a comma or ${closer ?? ''} is missing` };
      wanted = closer === '}' ? 'key' : 'value';
    } else if (wanted === 'key') {
      if (!token.startsWith('"')) return { at, message: 'a name in double quotes is missing' };
      wanted = 'colon';
    } else if (wanted === 'colon') {
      if (token !== ':') return { at, message: 'a colon is missing' };
      wanted = 'value';
    } else {
      if (token === '' || '}],:'.includes(token)) return { at, message: 'a value is missing, or is no JSON' };
      wanted = token === '{' ? 'key' : token === '[' ? 'value' : 'next';
      if (wanted !== 'next') closers.push(token === '{' ? '}' : ']');
    }
    mayClose = token === '{' || token === '[';
    at += token.length;
  }
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
