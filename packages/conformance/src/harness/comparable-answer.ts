import type { Answer } from './client.ts';

/** What an answer tells, without the id that was asked for and without what differs from answer to answer. */
export function comparableAnswer({ status, headers, text }: Answer, asked: string | number) {
  const names = [...headers.keys()].filter((name) => name !== 'content-length').sort();
  return {
    status,
    names,
    text: text.replaceAll(` ${asked} not found`, ' # not found').replaceAll(`"${asked}"`, '"#"'),
  };
}
