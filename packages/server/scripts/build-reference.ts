/**
 * Copies the script of the API reference into `dist`, gzipped, with the notice that its licence requires. It is a
 * self-contained bundle, so its package is not needed where the server is installed.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { gzipReferenceBundle, REFERENCE_BUNDLE } from '../src/http/pages/reference-bundle.ts';

const manifest: { name: string; version: string; license: string } = JSON.parse(
  await readFile(new URL('../package.json', import.meta.resolve('@scalar/api-reference')), 'utf8'),
);
if (manifest.license !== 'MIT')
  throw new Error(`${manifest.name} is now licensed ${manifest.license}: update the notice.`);

const notice = `api-reference.js.gz is the browser bundle of ${manifest.name} ${manifest.version} (https://github.com/scalar/scalar).
The notices of what it bundles are inside it.

MIT License

Copyright (c) 2023-present Scalar

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;
await mkdir(new URL('.', REFERENCE_BUNDLE), { recursive: true });
await writeFile(REFERENCE_BUNDLE, await gzipReferenceBundle());
await writeFile(new URL('api-reference.LICENSE.txt', REFERENCE_BUNDLE), notice);
