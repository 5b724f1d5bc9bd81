/** Writes the documents that the server serves into `dist/docs`, from the files of the repository. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { DOCUMENTS } from '../src/http/documents/document-list.ts';
import { BUILT_DOCUMENTS } from '../src/http/documents/read-document.ts';
import { renderDocument } from '../src/http/documents/render-document.ts';

const ROOT = new URL('../../../', import.meta.url);

/** @throws Error for a document whose file is missing */
export async function buildDocuments(): Promise<void> {
  for (const document of DOCUMENTS) {
    const file = new URL(`${document.name}.md`, BUILT_DOCUMENTS);
    await mkdir(new URL('.', file), { recursive: true });
    await writeFile(file, renderDocument(await readFile(new URL(document.source, ROOT), 'utf8'), document));
  }
}
