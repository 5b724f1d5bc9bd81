import { join } from 'node:path';
import { defineConfig } from 'tsdown';

const root = join(import.meta.dirname, '..', '..');

export default defineConfig({
  // Together, so that an error is of the same class wherever it comes from.
  entry: { index: 'src/index.ts', webhooks: 'src/webhooks/index.ts', validate: 'src/validate/index.ts' },
  outDir: 'dist',
  format: 'esm',
  // Any JavaScript runtime: an import of a Node built-in must not be resolved away silently.
  platform: 'neutral',
  target: 'es2023',
  tsconfig: 'tsconfig.json',
  dts: {
    tsconfig: join(root, 'tsconfig.dts.json'),
    generator: 'tsgo',
    tsgo: { path: join(root, 'node_modules', '.bin', 'tsc') },
  },
  hash: false,
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  deps: {
    // Contract and domain are not published: they come along, with their types.
    alwaysBundle: [/^@svc\//],
    onlyImport: ['openapi-fetch'],
    onlyBundle: false,
  },
});
