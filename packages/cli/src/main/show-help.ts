import { readFileSync } from 'node:fs';
import { usageError } from '../errors/cli-error.ts';
import { HELP_PAGES, renderCommand, renderHelpPage, renderRoot, renderTopic } from '../features/help/render.ts';
import { type Manifest, readManifest } from '../features/manifest.ts';
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
  const manifest = readManifest(packageFolder);
  const columns = terminalWidth();
  // A pager writes to the same terminal as stderr.
  const pipeWidth = Math.min(PIPE_WIDTH, (process.stderr.isTTY && process.stderr.columns) || PIPE_WIDTH);
  const width = Number.isFinite(columns) ? Math.min(columns, WIDTH_MAX) : pipeWidth;
  const style = { width, paint: paintFor(process.stdout) };
  await writeRendered(render(argv, manifest, style, () => readDescription(packageFolder)));
}

function render(
  argv: readonly string[],
  manifest: Manifest,
  style: Parameters<typeof renderHelpPage>[1],
  description: () => string,
): string {
  const isTopic = (name: string) => Object.keys(manifest.commands).some((id) => id.startsWith(`${name}:`));
  const isAsked = asksForHelp(argv) || argv[0] === 'help' || argv[1] === 'help';
  const names = argv.filter((word, index) => !['--help', '-h'].includes(word) && !(word === 'help' && index < 2));
  const [first, ...others] = wordsBeforeFlags(names);
  if (first === undefined) {
    if (isAsked || argv.length === 0) return renderRoot(description(), manifest, style);
    throw unknownCommandError(argv, []);
  }
  const id = findCommandId([first, ...others], manifest);
  const command = id === null ? undefined : manifest.commands[id];
  if (id !== null && command !== undefined) return renderCommand(id, command, style);
  if (others.length === 0 && Object.hasOwn(HELP_PAGES, first)) return renderHelpPage(first, style);
  if (!isTopic(first) || others.length > 0)
    throw unknownCommandError([first, ...others], Object.keys(manifest.commands));
  // A script would take the help of the topic for a result.
  if (!isAsked && names.length > 1) throw usageError('Flags go after the command', `See \`svc ${first} --help\`.`);
  return renderTopic(first, manifest, style);
}

function wordsBeforeFlags(argv: readonly string[]): readonly string[] {
  const flag = argv.findIndex((word) => word.startsWith('-'));
  return flag === -1 ? argv : argv.slice(0, flag);
}

/** Returns the longest command that the words begin with. */
function findCommandId(words: readonly string[], { commands }: Manifest): string | null {
  for (let count = words.length; count > 0; count -= 1) {
    const id = words.slice(0, count).join(':');
    if (Object.hasOwn(commands, id)) return id;
  }
  return null;
}

function readDescription(packageFolder: URL): string {
  const { description }: { description: string } = JSON.parse(
    readFileSync(new URL('package.json', packageFolder), 'utf8'),
  );
  return description;
}
