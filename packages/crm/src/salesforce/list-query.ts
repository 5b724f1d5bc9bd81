import { quote } from './soql.ts';

/** Rewrites the query of a list view. */

/** The clauses that can follow a condition. */
const AFTER_WHERE = ['ORDER BY', 'LIMIT', 'OFFSET', 'FOR VIEW', 'FOR REFERENCE'] as const;

/**
 * Returns the query of a list view with `Id` and one other column, for the page behind an id; null when it is not a query
 * of this form.
 */
export function withSelection(query: string, column: string, after: string | null, limit: number): string | null {
  const from = findWord(query, 'FROM', 0);
  if (!/^\s*SELECT\s/i.test(query) || from < 0) return null;
  const end = Math.min(
    ...AFTER_WHERE.map((word) => findWord(query, word, from)).map((at) => (at < 0 ? query.length : at)),
  );
  const where = findWord(query, 'WHERE', from);
  if (where > end) return null;
  const source = query.slice(from, where < 0 ? end : where).trim();
  const conditions = [
    ...(where < 0 ? [] : [`(${query.slice(where + 'WHERE'.length, end).trim()})`]),
    ...(after === null ? [] : [`Id > ${quote(after)}`]),
  ];
  const condition = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return `SELECT Id, ${column} ${source}${condition} ORDER BY Id LIMIT ${limit}`;
}

/** Returns the position of a clause outside of texts and parentheses; -1 when there is none. */
function findWord(query: string, words: string, start: number): number {
  let depth = 0;
  for (let at = start; at < query.length; at += 1) {
    const letter = query.charAt(at);
    if (letter === "'") {
      at = endOfText(query, at);
      continue;
    }
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    const isStart = depth === 0 && (at === 0 || /\s|\)/.test(query.charAt(at - 1)));
    if (
      isStart &&
      new RegExp(`^${words.replace(' ', String.raw`\s+`)}(?=[\\s(]|$)`, 'i').test(query.slice(at, at + 40))
    )
      return at;
  }
  return -1;
}

/** Returns the position of the quote that ends the text which begins here. */
function endOfText(query: string, start: number): number {
  for (let at = start + 1; at < query.length; at += 1) {
    const letter = query.charAt(at);
    if (letter === '\\') at += 1;
    else if (letter === "'") return at;
  }
  return query.length;
}
