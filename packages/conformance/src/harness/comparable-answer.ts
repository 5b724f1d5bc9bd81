import type { Answer } from './client.ts';

/** Returns an answer without the requested id and without headers that always differ, to compare two 404s. */
export function comparableAnswer({ status, headers, text }: Answer, asked: string | number) {
  const names = [...headers.keys()].filter((name) => name !== 'content-length').sort();
  return {
    status,
    names,
    text: text.replaceAll(` ${asked} not found`, ' # not found').replaceAll(`"${asked}"`, '"#"'),
  };
}
