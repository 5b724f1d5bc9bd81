/** Replaces or appends the section of one benchmark in the text of `bench/RESULTS.md`. */
export function withSection(text: string, name: string, body: string): string {
  const [begin, end] = [`<!-- bench: ${name} -->`, `<!-- end: ${name} -->`];
  const section = `${begin}\n${body.trim()}\n${end}\n`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) return `${text.trimEnd()}\n\n${section}`;
  return `${text.slice(0, from)}${section}${text.slice(to + end.length).replace(/^\n/, '')}`;
}
