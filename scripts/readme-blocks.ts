/** Returns the fenced blocks of a language in a Markdown text, in order, without their fences. */
export function blocksOf(markdown: string, language: string): string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  );
}
