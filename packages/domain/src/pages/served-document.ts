/**
 * The contract's document as an installation serves it: headers, keys and secrets under the installation's names, and its own
 * addresses in `servers`, `info.contact` and the examples.
 */
import type { AnswerUrls } from '../requests/answer-headers.ts';
import { brandDocument, type Branding } from './branding.ts';
import { withoutTrailingSlash } from '../account/dashboard-links.ts';

/** The addresses that the contract is written with. */
const WRITTEN_URLS = /http:\/\/127\.0\.0\.1:4000|(https:\/\/docs\.example\.com\/api)/g;

/** @param text JSON or YAML */
export function servedDocument(text: string, branding: Branding, { apiUrl, docsUrl }: AnswerUrls): string {
  const [api, docs] = [toPlainText(apiUrl), toPlainText(docsUrl)];
  return brandDocument(text, branding).replaceAll(WRITTEN_URLS, (_found, isDocs) =>
    isDocs === undefined ? api : docs,
  );
}

/** A URL in its normal form has no quotes, spaces and backslashes, so it needs no escaping in JSON and YAML. */
function toPlainText(url: string): string {
  return withoutTrailingSlash(new URL(url).href);
}
