/** Returns the text of a mail's HTML: one line per paragraph, without markup, styles and scripts. */
export function toPlainText(html: string): string {
  return withoutHidden(html)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<(?:br|\/p|\/div|\/li|\/tr|\/h[1-6])\b[^<>]*>/gi, '\n')
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** Removes the elements that a mail program does not show. In one pass, because a hostile mail may open many of them. */
function withoutHidden(html: string): string {
  const lower = html.toLowerCase();
  const opening = /<(style|script|head|title)\b/g;
  let shown = '';
  let from = 0;
  for (let match = opening.exec(lower); match !== null; match = opening.exec(lower)) {
    shown += `${html.slice(from, match.index)} `;
    const end = lower.indexOf(`</${match[1] ?? ''}`, match.index);
    if (end < 0) return shown;
    from = end;
    opening.lastIndex = end;
  }
  return shown + html.slice(from);
}
