import { createInterface, type Interface } from 'node:readline/promises';
import { CliError, usageError } from '../errors/cli-error.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { sanitize } from '../terminal/text.ts';

/**
 * Asks for confirmation, unless `--yes` is given.
 *
 * @param question without question mark, such as "Delete webhook we_1 and its deliveries"
 * @throws CliError (exit 2) without a terminal; (exit 130) if the answer is not yes
 */
export async function confirm(question: string, { yes }: { readonly yes: boolean }): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usageError('Needs confirmation: add --yes when not in a terminal', `To confirm: ${question}?`);
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // Readline stays open, so that the process does not end before the signal is handled.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await ask(lines, `${sanitize(question)}? [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    lines.close();
  }
  throw new CliError('declined', EXIT_CODES.interrupted, 'Nothing was done');
}

/** Returns the answer; Ctrl-D returns ''. */
function ask(lines: Interface, question: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const onClose = () => {
      process.stderr.write('\n');
      resolve('');
    };
    lines.once('close', onClose);
    lines.question(question).then((answer) => {
      lines.off('close', onClose);
      resolve(answer);
    }, reject);
  });
}
