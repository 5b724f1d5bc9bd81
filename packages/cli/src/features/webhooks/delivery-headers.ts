import { usageError } from '../../errors/cli-error.ts';
import { readInputFile } from './read-payload.ts';

type Headers = Readonly<Record<string, string>>;

export interface SignatureFlags {
  readonly header?: string | undefined;
  readonly 'headers-file'?: string | undefined;
}

/**
 * The value of the signature header; null when the headers hold none.
 *
 * @param name of the header
 * @throws CliError (exit 2) when no headers are given, or the signature stands under another name
 */
export async function readSignatureHeader(flags: SignatureFlags, name: string): Promise<string | null> {
  // It may have been copied with its name in front.
  if (flags.header !== undefined) return flags.header.replace(/^\s*[A-Za-z][\w-]*-Signature\s*:/i, '');
  const file = flags['headers-file'];
  if (file === undefined) throw usageError('No signature is given', 'Add --header VALUE, or --headers-file FILE.');
  const headers = parseHeaders(new TextDecoder().decode(await readInputFile(file)), file);
  const found = Object.keys(headers).find((each) => each.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return headers[found] ?? null;
  const [, prefix] =
    /^(.+)-signature$/i.exec(Object.keys(headers).find((each) => /-signature$/i.test(each)) ?? '') ?? [];
  if (prefix === undefined) return null;
  throw usageError(
    `${file} holds no ${name}, but ${prefix}-Signature`,
    `If that is the one, add --header-prefix ${prefix}.`,
  );
}

/**
 * Headers as they are kept beside a body: lines of `Name: value`, as curl and most logs write them, or a JSON object.
 * A line such as `POST /hook HTTP/1.1` is let be, and so is what follows an empty one.
 *
 * @throws CliError (exit 2) when it is neither
 */
function parseHeaders(text: string, file: string): Headers {
  if (text.trimStart().startsWith('{')) return parseJsonHeaders(text, file);
  const headers: Record<string, string> = {};
  for (const line of text.trimStart().split(/\r?\n/)) {
    if (line.trim() === '') break;
    const [, name, value] = /^[<>]?\s*([\w!#$%&'*+.^`|~-]+):(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers[name] = value.trim();
  }
  if (Object.keys(headers).length > 0) return headers;
  throw usageError(`${file} holds no headers`, 'It takes lines of Name: value, or a JSON object.');
}

function parseJsonHeaders(text: string, file: string): Headers {
  try {
    const entries = Object.entries(Object(JSON.parse(text)));
    return Object.fromEntries(
      entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
    );
  } catch {
    throw usageError(`${file} begins as JSON, but is none`);
  }
}
