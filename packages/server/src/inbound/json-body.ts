/** Parses a body as it was received; a byte order mark in front is passed over. Throws SyntaxError. */
export function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
}
