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
  // Searches the text itself: a copy in lower case may be longer, because İ becomes two characters.
  const opening = /<(style|script|head|title)\b/gi;
  let shown = '';
  let from = 0;
  for (let match = opening.exec(html); match !== null; match = opening.exec(html)) {
    shown += `${html.slice(from, match.index)} `;
    const closing = new RegExp(`</${match[1] ?? ''}`, 'gi');
    closing.lastIndex = match.index;
    const end = closing.exec(html)?.index;
    if (end === undefined) return shown;
    from = end;
    opening.lastIndex = end;
  }
  return shown + html.slice(from);
}
