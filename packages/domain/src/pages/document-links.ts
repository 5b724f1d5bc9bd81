import { withoutTrailingSlash } from '../account/dashboard-links.ts';

export const LLMS_TXT_PATH = '/llms.txt';
/** The API reference of `/docs` as Markdown. */
export const API_DOCUMENT_PATH = '/docs/api.md';
export const MARKDOWN_TYPE = 'text/markdown; charset=utf-8';

/** Returns the value of a page's `Link` header: which llms.txt covers it, and where its Markdown is, if it has any. */
export function documentLinks(apiUrl: string, markdownPath?: string): string {
  const base = withoutTrailingSlash(apiUrl);
  const link = (path: string, relation: string) => `<${base}${path}>; rel="${relation}"; type="text/markdown"`;
  const alternate = markdownPath === undefined ? [] : [link(markdownPath, 'alternate')];
  return [link(LLMS_TXT_PATH, 'describedby'), ...alternate].join(', ');
}
