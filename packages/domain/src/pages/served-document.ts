import type { AnswerUrls } from '../requests/answer-headers.ts';
import { brandDocument, type Branding } from './branding.ts';
import { withoutTrailingSlash } from '../account/dashboard-links.ts';

/** The URLs in the contract's source. */
const WRITTEN_URLS = /http:\/\/127\.0\.0\.1:4000|(https:\/\/docs\.example\.com\/api)/g;

/**
 * Returns the contract's document as an installation serves it: with its own prefixes and its own URLs in `servers`,
 * `info.contact` and the examples.
 *
 * @param text JSON or YAML
 */
export function servedDocument(text: string, branding: Branding, { apiUrl, docsUrl }: AnswerUrls): string {
  const [api, docs] = [toPlainText(apiUrl), toPlainText(docsUrl)];
  return brandDocument(text, branding).replaceAll(WRITTEN_URLS, (_found, isDocs) =>
    isDocs === undefined ? api : docs,
  );
}

/** A normalized URL has no quotes, spaces or backslashes, so it needs no escaping in JSON and YAML. */
function toPlainText(url: string): string {
  return withoutTrailingSlash(new URL(url).href);
}
