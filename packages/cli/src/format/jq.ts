import { usageError } from '../errors/cli-error.ts';
import { createDocumentCutter } from './json-documents.ts';

/** What goes to stdout on its way through a jq expression. */
export interface JqFilter {
  push(piece: string): Promise<string>;
  /** What is left at the end. */
  end(): Promise<string>;
}

/**
 * `--jq`: each JSON document that a command prints goes through the expression as soon as it is whole. jq itself is
 * WebAssembly of 1.3 MB, loaded here and nowhere else.
 *
 * @throws CliError (exit 2) with jq's message, before anything is done, when the expression is none
 */
export async function createJqFilter(expression: string): Promise<JqFilter> {
  const { raw } = await import('jq-wasm');
  const run = async (documents: string): Promise<string> => {
    let output: string;
    try {
      // Not `-r`: only as JSON does one line of output stay one result.
      output = await raw(documents, expression, ['-c']);
    } catch (error) {
      // Anything else is a fault of ours.
      if (!(error instanceof Error) || !error.message.startsWith('jq: ')) throw error;
      throw usageError(`--jq: ${explain(error)}`, 'https://jqlang.org/manual explains the language.');
    }
    return output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `${showResult(line)}\n`)
      .join('');
  };
  // With nothing to read, jq compiles the expression and does no more.
  await run('');
  const cutter = createDocumentCutter();
  return {
    async push(piece) {
      const documents = cutter.push(piece);
      return documents.trim() === '' ? '' : run(documents);
    },
    async end() {
      const rest = cutter.rest();
      return rest.trim() === '' ? '' : run(rest);
    },
  };
}

/** Strings as they are, as `gh --jq` and `jq -r` print them; everything else as JSON. */
function showResult(line: string): string {
  if (!line.startsWith('"')) return line;
  const text: unknown = JSON.parse(line);
  return typeof text === 'string' ? text : line;
}

function explain({ message }: Error): string {
  const lines = message.split('\n').map((line) => line.trimEnd());
  return lines
    .filter((line, index) => line !== '' && !/^jq: \d+ compile errors?$/.test(line) && lines.indexOf(line) === index)
    .join('\n')
    .replace(/^jq: error:? ?(\(at [^)]*\): ?)?/, '');
}
