import { readFile } from 'node:fs/promises';
import { builtFile } from '@svc/engine/runtime/built-file';
import type { ServedDocument } from './document-list.ts';

/** Where the build writes the documents. */
export const BUILT_DOCUMENTS = builtFile('docs/', import.meta.url);

const isBundled = !import.meta.url.endsWith('.ts');

/** Returns the text of a document: as the build has written it, or in a source tree from its file. */
export async function readDocument(document: ServedDocument): Promise<string> {
  if (isBundled) return readFile(new URL(`${document.name}.md`, BUILT_DOCUMENTS), 'utf8');
  const { renderDocument } = await import('./render-document.ts');
  return renderDocument(await readFile(new URL(`../../../../${document.source}`, BUILT_DOCUMENTS), 'utf8'), document);
}
