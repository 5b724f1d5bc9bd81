import { dirname, join, relative } from 'node:path/posix';
import { DOCUMENTS, type ServedDocument } from './document-list.ts';

/** Files of the repository that are served elsewhere than below `/docs`, by their address from `/docs/`. */
const SERVED_ELSEWHERE: Readonly<Record<string, string>> = {
  'packages/contract/openapi.yaml': '../api/v1/openapi.yaml',
};

const PLACES: ReadonlyMap<string, string> = new Map([
  ...DOCUMENTS.map(({ source, name }) => [source, `${name}.md`] as const),
  ...Object.entries(SERVED_ELSEWHERE),
]);

/** A code block, a code span, or a link or picture whose target is relative. */
const PARTS = /^```[\s\S]*?^```|`[^`\n]*`|!?\[((?:`[^`]*`|[^[\]`])*)\]\((?![a-z]+:|#)([^()\s#]+)(#[^()\s]*)?\)/gm;

/**
 * Returns a document of the repository as it is served: relative links lead to where their targets are served, and of links to
 * other files of the repository and of pictures only the text remains.
 */
export function renderDocument(markdown: string, { name, source }: ServedDocument): string {
  return markdown.replaceAll(PARTS, (part: string, text?: string, target?: string, anchor = '') => {
    if (text === undefined || target === undefined) return part;
    const place = PLACES.get(join(dirname(source), target));
    if (place === undefined || part.startsWith('!')) return text;
    return `[${text}](${relative(dirname(`docs/${name}`), `docs/${place}`)}${anchor})`;
  });
}
