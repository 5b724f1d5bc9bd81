import { run } from '../../../../scripts/processes.ts';

const RESOLUTIONS = [
  ['--module', 'nodenext'],
  ['--module', 'esnext', '--moduleResolution', 'bundler'],
];

/**
 * Compiles a program that uses the installed tarball.
 *
 * @param compiler path of a `tsc`
 * @param folder holds the installed tarball and `consumer.ts`, which uses every entry
 * @returns the compiler's errors; empty when there are none
 */
export async function compileConsumer(compiler: string, folder: string): Promise<string> {
  let errors = '';
  for (const resolution of RESOLUTIONS) {
    const args = ['-p', 'tsconfig.json', '--pretty', 'false', '--listFiles', ...resolution];
    const { code, stdout, output } = await run(compiler, args, { cwd: folder });
    const lines = output.split('\n').filter((line) => line !== '' && !/^(\/|[A-Z]:).*\.ts$/.test(line));
    if (code !== 0) errors += `${resolution.join(' ')} exits with ${code}:\n${lines.join('\n')}\n`;
    // The published types must have been read.
    for (const entry of ['index', 'webhooks', 'validate']) {
      if (!stdout.includes(`@svc/sdk/dist/${entry}.d.ts`)) errors += `${entry}.d.ts was not read\n`;
    }
  }
  return errors;
}
