/**
 * Writes the names of all commands of `svc` and `svc-server`, each into the other program, which names them to those who
 * type them there.
 *
 *   node packages/server/scripts/command-names.ts            write
 *   node packages/server/scripts/command-names.ts --check    exit 1 when they are not up to date
 */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createProgram } from '../src/main/program.ts';
import { root } from '../../../scripts/processes.ts';

function clientCommands(): string[] {
  const folder = join(root, 'packages/cli/src/commands');
  return globSync('**/*.ts', { cwd: folder }).map((file) => file.replace(/\.ts$/, '').split(/[/\\]/).join(' '));
}

function serverCommands({ commands }: Pick<ReturnType<typeof createProgram>, 'commands'>): string[] {
  return commands.flatMap((command) => {
    const verbs = serverCommands(command);
    return verbs.length === 0 ? [command.name()] : verbs.map((verb) => `${command.name()} ${verb}`);
  });
}

function render(constant: string, program: string, names: readonly string[]): string {
  const lines = names.toSorted().map((name) => `  '${name}',\n`);
  return `// Written by packages/server/scripts/command-names.ts.
/** The commands of \`${program}\`, the other program. */
export const ${constant}: readonly string[] = [
${lines.join('')}];
`;
}

const outputs = [
  {
    file: 'packages/cli/src/generated/server-commands.ts',
    text: render('SERVER_COMMANDS', 'svc-server', serverCommands(createProgram({ writesErrors: true }))),
  },
  {
    file: 'packages/server/src/generated/client-commands.ts',
    text: render('CLIENT_COMMANDS', 'svc', clientCommands()),
  },
];
for (const { file, text } of outputs) {
  const path = join(root, file);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  if (process.argv.includes('--check')) {
    console.error(`${file} is stale: run npm run generate`);
    process.exitCode = 1;
    continue;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
