import { Refusal } from './refusal.ts';

/**
 * A parser of the part of SOQL that this simulator answers. It refuses everything else: subqueries, relationships of several steps, functions,
 * dates without quotes as in `LAST_WEEK`, and AND beside OR without parentheses, which Salesforce refuses too.
 */

export type SoqlValue = string | number | boolean | null;

export type SoqlCondition =
  | { kind: 'and' | 'or'; parts: readonly SoqlCondition[] }
  | { kind: 'not'; part: SoqlCondition }
  | { kind: 'compare'; field: string; operator: '=' | '!=' | '<' | '<=' | '>' | '>=' | 'like'; value: SoqlValue }
  | { kind: 'in' | 'not in'; field: string; values: readonly SoqlValue[] };

export interface SoqlQuery {
  fields: readonly string[];
  objectType: string;
  where: SoqlCondition | null;
  orderBy: readonly { field: string; isDescending: boolean; areNullsLast: boolean }[];
  limit: number | null;
  offset: number;
}

interface Token {
  kind: 'word' | 'text' | 'number' | 'symbol' | 'instant';
  text: string;
}

const LENGTH_MAX = 100_000;
const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2}))?/;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['N', '\n'],
  ['r', '\r'],
  ['R', '\r'],
  ['t', '\t'],
  ['T', '\t'],
  ['b', '\b'],
  ['B', '\b'],
  ['f', '\f'],
  ['F', '\f'],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['_', '\\_'],
  ['%', '\\%'],
]);

function malformed(message: string): Refusal {
  return new Refusal(400, 'MALFORMED_QUERY', message);
}

function readTokens(soql: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < soql.length) {
    const rest = soql.slice(at);
    const space = /^\s+/.exec(rest)?.[0];
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    if (rest.startsWith("'")) {
      const { text, length } = readText(rest);
      tokens.push({ kind: 'text', text });
      at += length;
      continue;
    }
    const found =
      matchToken(rest, INSTANT, 'instant') ??
      matchToken(rest, /^-?\d+(?:\.\d+)?/, 'number') ??
      matchToken(rest, /^[a-zA-Z_][\w.]*/, 'word') ??
      matchToken(rest, /^(?:!=|<>|<=|>=|[=<>(),])/, 'symbol');
    if (found === null) throw malformed(`line 1:${at} no viable alternative at character '${rest.charAt(0)}'`);
    tokens.push(found);
    at += found.text.length;
  }
  return tokens;
}

function matchToken(rest: string, pattern: RegExp, kind: Token['kind']): Token | null {
  const text = pattern.exec(rest)?.[0];
  return text === undefined ? null : { kind, text };
}

function readText(rest: string): { text: string; length: number } {
  let text = '';
  for (let at = 1; at < rest.length; at += 1) {
    const letter = rest.charAt(at);
    if (letter === "'") return { text, length: at + 1 };
    if (letter === '\n' || letter === '\r') break;
    if (letter !== '\\') {
      text += letter;
      continue;
    }
    at += 1;
    const escaped = ESCAPES.get(rest.charAt(at));
    if (escaped === undefined) throw malformed(`invalid string literal: illegal escape \\${rest.charAt(at)}`);
    text += escaped;
  }
  throw malformed("line 1: mismatched character <EOF> expecting '''");
}

export function parseSoql(soql: string): SoqlQuery {
  if (soql.length > LENGTH_MAX) throw new Refusal(400, 'QUERY_TOO_COMPLICATED', 'SOQL statement is too long');
  const tokens = readTokens(soql);
  let at = 0;

  const peek = (ahead = 0): Token | undefined => tokens[at + ahead];
  const unexpected = (): Refusal => malformed(`unexpected token: '${peek()?.text ?? '<EOF>'}'`);
  function isWord(word: string, ahead = 0): boolean {
    const token = peek(ahead);
    return token?.kind === 'word' && token.text.toUpperCase() === word;
  }
  function take(): Token {
    const token = peek();
    if (token === undefined) throw unexpected();
    at += 1;
    return token;
  }
  function takeWord(...words: readonly string[]): void {
    for (const word of words) {
      if (!isWord(word)) throw unexpected();
      at += 1;
    }
  }
  function takeSymbol(symbol: string): void {
    if (peek()?.kind !== 'symbol' || peek()?.text !== symbol) throw unexpected();
    at += 1;
  }
  function takeName(): string {
    const token = take();
    if (token.kind !== 'word') throw malformed(`unexpected token: '${token.text}'`);
    if (token.text.split('.').length > 2)
      throw malformed(`the simulator knows relationships of one step only: '${token.text}'`);
    return token.text;
  }
  function takeNames(): string[] {
    const names = [takeName()];
    while (peek()?.text === ',' && peek()?.kind === 'symbol') {
      at += 1;
      names.push(takeName());
    }
    return names;
  }
  function takeValue(): SoqlValue {
    const token = take();
    if (token.kind === 'text' || token.kind === 'instant') return token.text;
    if (token.kind === 'number') return Number(token.text);
    const word = token.kind === 'word' ? token.text.toLowerCase() : '';
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'null') return null;
    throw malformed(`unexpected token: '${token.text}'`);
  }
  function takeValues(): SoqlValue[] {
    takeSymbol('(');
    const values = [takeValue()];
    while (peek()?.text === ',' && peek()?.kind === 'symbol') {
      at += 1;
      values.push(takeValue());
    }
    takeSymbol(')');
    return values;
  }
  function takeCondition(): SoqlCondition {
    const first = takeOperand();
    const word = isWord('AND') ? 'AND' : isWord('OR') ? 'OR' : null;
    if (word === null) return first;
    const parts = [first];
    while (isWord(word)) {
      at += 1;
      parts.push(takeOperand());
    }
    if (isWord('AND') || isWord('OR')) throw unexpected();
    return { kind: word === 'AND' ? 'and' : 'or', parts };
  }
  function takeOperand(): SoqlCondition {
    if (isWord('NOT')) {
      at += 1;
      return { kind: 'not', part: takeOperand() };
    }
    if (peek()?.kind === 'symbol' && peek()?.text === '(') {
      at += 1;
      const inner = takeCondition();
      takeSymbol(')');
      return inner;
    }
    const field = takeName();
    if (isWord('IN')) {
      at += 1;
      return { kind: 'in', field, values: takeValues() };
    }
    if (isWord('NOT') && isWord('IN', 1)) {
      at += 2;
      return { kind: 'not in', field, values: takeValues() };
    }
    if (isWord('LIKE')) {
      at += 1;
      return { kind: 'compare', field, operator: 'like', value: takeValue() };
    }
    const token = take();
    const operator = token.text === '<>' ? '!=' : token.text;
    if (token.kind !== 'symbol' || !isComparison(operator)) throw malformed(`unexpected token: '${token.text}'`);
    return { kind: 'compare', field, operator, value: takeValue() };
  }
  function takeCount(): number {
    const token = take();
    if (token.kind !== 'number' || !/^\d+$/.test(token.text)) throw malformed(`unexpected token: '${token.text}'`);
    return Number(token.text);
  }

  takeWord('SELECT');
  const fields = takeNames();
  takeWord('FROM');
  const objectType = takeName();
  let where: SoqlCondition | null = null;
  if (isWord('WHERE')) {
    at += 1;
    where = takeCondition();
  }
  const orderBy: { field: string; isDescending: boolean; areNullsLast: boolean }[] = [];
  if (isWord('ORDER')) {
    takeWord('ORDER', 'BY');
    for (;;) {
      const field = takeName();
      const isDescending = isWord('DESC');
      if (isDescending || isWord('ASC')) at += 1;
      let areNullsLast = false;
      if (isWord('NULLS')) {
        at += 1;
        areNullsLast = isWord('LAST');
        takeWord(areNullsLast ? 'LAST' : 'FIRST');
      }
      orderBy.push({ field, isDescending, areNullsLast });
      if (peek()?.text !== ',') break;
      at += 1;
    }
  }
  let limit: number | null = null;
  if (isWord('LIMIT')) {
    at += 1;
    limit = takeCount();
  }
  let offset = 0;
  if (isWord('OFFSET')) {
    at += 1;
    offset = takeCount();
    if (offset > 2_000) throw new Refusal(400, 'NUMBER_OUTSIDE_VALID_RANGE', 'Maximum SOQL offset allowed is 2000');
  }
  if (peek() !== undefined) throw unexpected();
  return { fields, objectType, where, orderBy, limit, offset };
}

function isComparison(text: string): text is '=' | '!=' | '<' | '<=' | '>' | '>=' {
  return ['=', '!=', '<', '<=', '>', '>='].includes(text);
}
