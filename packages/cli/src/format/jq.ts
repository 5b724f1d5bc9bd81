import { usageError } from '../errors/cli-error.ts';
import { createDocumentCutter } from './json-documents.ts';

/** Filters stdout through a jq expression. */
export interface JqFilter {
  push(piece: string): Promise<string>;
  /** Returns the rest of the output. */
  end(): Promise<string>;
}

/**
 * Creates the filter of `--jq`, which processes each JSON document as soon as it is complete. jq is WebAssembly of 1.3 MB,
 * which is loaded only here.
 *
 * @throws CliError (exit 2) with jq's message if the expression is invalid
 */
export async function createJqFilter(expression: string): Promise<JqFilter> {
  const { raw } = await import('jq-wasm');
  const run = async (documents: string): Promise<string> => {
    let output: string;
    try {
      // Without `-r`, each line of output is one result.
      output = await raw(documents, expression, ['-c']);
    } catch (error) {
      // Other errors are bugs.
      if (!(error instanceof Error) || !error.message.startsWith('jq: ')) throw error;
      throw usageError(`--jq: ${explain(error)}`, 'https://jqlang.org/manual explains the language.');
    }
    return output
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `${showResult(line)}\n`)
      .join('');
  };
  // Empty input only compiles the expression.
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

/** Prints strings unquoted like `gh --jq` and `jq -r`, everything else as JSON. */
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
