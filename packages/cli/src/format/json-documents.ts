/**
 * Splits a stream of JSON documents after the line that closes each document. A document may span many lines, and
 * documents may follow each other (NDJSON).
 */
export interface DocumentCutter {
  /** Returns the text of all documents that this piece completes, or `''`. */
  push(piece: string): string;
  /** Returns the text of an incomplete document. */
  rest(): string;
}

export function createDocumentCutter(): DocumentCutter {
  const held: string[] = [];
  let depth = 0;
  let isInString = false;
  let isEscaped = false;

  /** Returns the position after the last line break between documents, or 0. */
  function findCut(piece: string): number {
    let cut = 0;
    for (let index = 0; index < piece.length; index += 1) {
      const code = piece.charCodeAt(index);
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (code === BACKSLASH) isEscaped = true;
        else if (code === QUOTE) isInString = false;
      } else if (code === QUOTE) isInString = true;
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
      else if (code === LINE_BREAK && depth === 0) cut = index + 1;
    }
    return cut;
  }

  return {
    push(piece) {
      const cut = findCut(piece);
      if (cut === 0) {
        held.push(piece);
        return '';
      }
      const documents = held.join('') + piece.slice(0, cut);
      held.length = 0;
      held.push(piece.slice(cut));
      return documents;
    },
    rest: () => held.join(''),
  };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const LINE_BREAK = 0x0a;
