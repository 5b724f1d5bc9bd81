import { createInterface, type Interface } from 'node:readline/promises';
import { CliError, usageError } from '../errors/cli-error.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { sanitize } from '../terminal/text.ts';

/**
 * Asks before something is destroyed. Where nobody can be asked, `--yes` has to say it.
 *
 * @param question without the mark, such as "Delete webhook we_1 and its deliveries"
 * @throws CliError (exit 2) where there is no terminal to ask on; (exit 130) when the answer is not yes
 */
export async function confirm(question: string, { yes }: { readonly yes: boolean }): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usageError(`${question}? There is no terminal to ask on`, 'Add --yes to do it without being asked.');
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // It stays open meanwhile: with nothing left to wait for, the process would end before the signal is dealt with.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await ask(lines, `${sanitize(question)}? [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    lines.close();
  }
  throw new CliError('declined', EXIT_CODES.interrupted, 'Nothing was done');
}

/** Ctrl-D is no answer. */
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
