import { usageError } from '../errors/cli-error.ts';
import * as pages from '../features/help/render.ts';
import { readManifest } from '../command/manifest.ts';
import { paintFor } from '../terminal/colors.ts';
import { terminalWidth, writeRendered } from '../terminal/stdout.ts';
import { asksForHelp } from './find-command.ts';
import { unknownCommandError } from './unknown-command.ts';

const PIPE_WIDTH = 80;
/** Longer lines are hard to read. */
const WIDTH_MAX = 100;

/**
 * Handles every command line that is not a command: help, topics and unknown commands. It does not load oclif.
 *
 * @throws CliError (exit 2) for unknown commands
 */
export async function showHelp(argv: readonly string[], packageFolder: URL): Promise<void> {
  const columns = terminalWidth();
  // A pager writes to the same terminal as stderr.
  const pipeWidth = Math.min(PIPE_WIDTH, (process.stderr.isTTY && process.stderr.columns) || PIPE_WIDTH);
  const width = Number.isFinite(columns) ? Math.min(columns, WIDTH_MAX) : pipeWidth;
  await writeRendered(render(argv, readManifest(packageFolder), { width, paint: paintFor(process.stdout) }));
}

function render(argv: readonly string[], manifest: ReturnType<typeof readManifest>, style: pages.HelpStyle): string {
  const isAsked = asksForHelp(argv) || argv.slice(0, 2).includes('help');
  const words = argv.filter((word, index) => !['--help', '-h'].includes(word) && !(word === 'help' && index < 2));
  const flag = words.findIndex((word) => word.startsWith('-'));
  const names = flag === -1 ? words : words.slice(0, flag);
  const [first] = names;
  if (first === undefined && (isAsked || argv.length === 0))
    return pages.renderRoot(manifest.description, manifest, style);
  for (let chosen = names; chosen.length > 0; chosen = chosen.slice(0, -1)) {
    const command = manifest.commands[chosen.join(':')];
    if (command !== undefined) return pages.renderCommand(chosen.join(':'), command, style);
  }
  const ids = Object.keys(manifest.commands);
  if (first === undefined || names.length > 1) throw unknownCommandError(first === undefined ? argv : names, ids);
  if (Object.hasOwn(pages.HELP_PAGES, first)) return pages.renderHelpPage(first, style);
  if (!ids.some((id) => id.startsWith(`${first}:`))) throw unknownCommandError(names, ids);
  // A script would take the help of the topic for a result.
  if (!isAsked && words.length > 1) throw usageError('Flags go after the command', `See \`svc ${first} --help\`.`);
  return pages.renderTopic(first, manifest, style);
}
