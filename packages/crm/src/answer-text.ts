/** Reads an answer as text. @throws Error when it has more bytes than allowed, without reading the rest */
export async function readAnswerText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new Error('answer too large');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
