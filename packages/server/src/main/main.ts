/** The `svc-server` command line. */
import { postponeOptimization } from '@svc/engine/runtime/postponed-optimization';
import { VERSION } from '@svc/engine/runtime/version';
import { asksForVersion, findHelpSubject } from './help-and-version.ts';
import { createProgram } from './program.ts';

/** Checked before parsing, because the command line may be invalid. */
const json = process.argv.includes('--json');

// Files are readable by their owner only; PGlite's own file modes are covered by those of its folder.
process.umask(0o077);

const program = createProgram({ writesErrors: !json });
program.hook('preAction', (_program, command) => {
  if (command.name() !== 'start') postponeOptimization();
});

// The reader of the output closed the pipe, as in `svc-server --help | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const args = process.argv.slice(2);
try {
  const subject = findHelpSubject(program, args);
  if (args[0] === 'help' && args[1] === 'environment') {
    const { describeEnvironment } = await import('@svc/engine/config/describe-environment');
    process.stdout.write(describeEnvironment(78));
  } else if (asksForVersion(args)) process.stdout.write(`${VERSION}\n`);
  else if (subject !== null) subject.outputHelp();
  // `help` with an unknown command is an error, which commander finds.
  else await program.parseAsync(args[0] === 'help' ? args.slice(1) : args, { from: 'user' });
} catch (error) {
  const { reportError } = await import('./report-error.ts');
  process.exitCode = reportError(error, { json });
}
