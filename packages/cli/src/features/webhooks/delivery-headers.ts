import { usageError } from '../../errors/cli-error.ts';
import { readInputFile } from './read-payload.ts';

type Headers = Readonly<Record<string, string>>;

export interface SignatureFlags {
  readonly header?: string | undefined;
  readonly 'headers-file'?: string | undefined;
}

/**
 * Returns the value of the signature header, or null.
 *
 * @param name name of the header
 * @throws CliError (exit 2) if no headers are given, or if the signature has another prefix
 */
export async function readSignatureHeader(flags: SignatureFlags, name: string): Promise<string | null> {
  // The value may include the name of the header.
  if (flags.header !== undefined) return flags.header.replace(/^\s*[A-Za-z][\w-]*-Signature\s*:/i, '');
  const file = flags['headers-file'];
  if (file === undefined) throw usageError('No signature is given', 'Add --header VALUE, or --headers-file FILE.');
  const headers = parseHeaders(new TextDecoder().decode(await readInputFile(file)), file);
  const found = Object.keys(headers).find((each) => each.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return headers[found] ?? null;
  const [, prefix] =
    /^(.+)-signature$/i.exec(Object.keys(headers).find((each) => /-signature$/i.test(each)) ?? '') ?? [];
  if (prefix === undefined) return null;
  throw usageError(`${file} contains no ${name}, but ${prefix}-Signature`, `To use it, add --header-prefix ${prefix}.`);
}

/**
 * Parses lines of `Name: value`, as in curl and most logs, or a JSON object. Lines such as `POST /hook HTTP/1.1` are
 * ignored, and everything after an empty line.
 *
 * @throws CliError (exit 2) if there are no headers
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
  throw usageError(`${file} contains no headers`, 'Use lines of Name: value, or a JSON object.');
}

function parseJsonHeaders(text: string, file: string): Headers {
  try {
    const entries = Object.entries(Object(JSON.parse(text)));
    return Object.fromEntries(
      entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
    );
  } catch {
    throw usageError(`${file} looks like JSON but cannot be parsed`);
  }
}
