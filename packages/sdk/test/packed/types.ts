import { run } from '../../../../scripts/processes.ts';

const RESOLUTIONS = [
  ['--module', 'nodenext'],
  ['--module', 'esnext', '--moduleResolution', 'bundler'],
];

/**
 * @param compiler path of a `tsc`
 * @param folder with the tarball installed and `consumer.ts`, which uses every entry
 * @returns what the compiler has to say; empty when all compiles
 */
export async function compileConsumer(compiler: string, folder: string): Promise<string> {
  let complaints = '';
  for (const resolution of RESOLUTIONS) {
    const args = ['-p', 'tsconfig.json', '--pretty', 'false', '--listFiles', ...resolution];
    const { code, stdout, output } = await run(compiler, args, { cwd: folder });
    const lines = output.split('\n').filter((line) => line !== '' && !/^(\/|[A-Z]:).*\.ts$/.test(line));
    if (code !== 0) complaints += `${resolution.join(' ')} exits with ${code}:\n${lines.join('\n')}\n`;
    // A compiler that did not look at the published types has judged nothing.
    for (const entry of ['index', 'webhooks', 'validate']) {
      if (!stdout.includes(`@svc/sdk/dist/${entry}.d.ts`)) complaints += `${entry}.d.ts was not read\n`;
    }
  }
  return complaints;
}
