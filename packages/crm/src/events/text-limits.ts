/** Truncates text to a CRM's limits without breaking it. Lengths are in UTF-16 units. */

const ELLIPSIS = '…';

export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${withoutHalfCharacter(text.slice(0, maxLength - ELLIPSIS.length))}${ELLIPSIS}`;
}

/** Truncates before a tag or entity, not inside it; browsers close unclosed elements. */
export function truncateHtml(html: string, maxLength: number): string {
  if (html.length <= maxLength) return html;
  let cut = withoutHalfCharacter(html.slice(0, maxLength - ELLIPSIS.length));
  const tag = cut.lastIndexOf('<');
  if (tag > cut.lastIndexOf('>')) cut = cut.slice(0, tag);
  const entity = cut.lastIndexOf('&');
  if (entity > cut.lastIndexOf(';') && cut.length - entity < 12) cut = cut.slice(0, entity);
  return `${cut}${ELLIPSIS}`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** Removes the first half of a surrogate pair at the end. */
function withoutHalfCharacter(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
