import './pinned-node.ts';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { fetchPackages } from './fetched-packages.ts';
import { root, run } from './processes.ts';

/** `npm run docs`: writes the reference of the SDK, from its docstrings, to `docs/reference/sdk`, which is not kept in the repository. */
const VERSIONS = {
  typedoc: '0.28.20',
  'typedoc-plugin-markdown': '4.14.1',
  // The last version with a JavaScript compiler API.
  typescript: 'npm:@typescript/typescript6@6.0.2',
};

const specs = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
const fetched = await fetchPackages(`typedoc-${VERSIONS.typedoc}`, specs);
if ('problem' in fetched) {
  process.stderr.write(`typedoc could not be installed:\n${fetched.problem}`);
  process.exit(1);
}

const source = join(root, 'packages', 'sdk', 'src');
const out = join(root, 'docs', 'reference', 'sdk');
const options = {
  tsconfig: join(root, 'packages', 'sdk', 'tsconfig.pure.json'),
  plugin: join(fetched.folder, 'node_modules', 'typedoc-plugin-markdown', 'dist', 'index.js'),
  out,
  basePath: source,
  readme: 'none',
  name: '@svc/sdk',
  outputFileStrategy: 'members',
  logLevel: 'Error',
};
const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
const entries = ['index.ts', 'webhooks/index.ts', 'validate/index.ts'].map((file) => join(source, file));
const typedoc = join(fetched.folder, 'node_modules', 'typedoc', 'bin', 'typedoc');
const { code, output } = await run(process.execPath, [
  typedoc,
  ...args,
  '--disableSources',
  '--excludeExternals',
  ...entries,
]);
const pages = globSync('**/*.md', { cwd: out });
process.stdout.write(code === 0 ? `${pages.length} pages in docs/reference/sdk\n` : output);
process.exitCode = code;
