import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type UserConfig } from 'tsdown';

const root = join(import.meta.dirname, '..', '..');

const shared: UserConfig = {
  outDir: 'dist',
  format: 'esm',
  tsconfig: 'tsconfig.json',
  hash: false,
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
};

export default defineConfig([
  {
    ...shared,
    // Built together, so that they share the demo world. Code that only some of them need goes into separate files.
    entry: {
      index: 'src/index.ts',
      browser: 'src/browser.ts',
      main: 'src/main.ts',
      'compile-cache': join(root, 'scripts', 'compile-cache.ts'),
    },
    // `browser` must not import Node built-ins; a browser platform would replace them silently.
    platform: 'neutral',
    target: 'es2023',
    dts: false,
    // `ipaddr.js` has only these fields.
    inputOptions: { resolve: { mainFields: ['module', 'main'] } },
    // Everything is bundled except msw, which the user installs.
    deps: { alwaysBundle: [/^(?!(node:|msw(\/|$)))/], neverBundle: [/^node:/, /^msw(\/|$)/], onlyBundle: false },
    plugins: [{ name: 'json-as-text', load: (id: string) => (id.endsWith('demo-world.json') ? parsedJson(id) : null) }],
  },
  {
    ...shared,
    entry: { index: 'src/index.ts' },
    platform: 'neutral',
    dts: {
      emitDtsOnly: true,
      tsconfig: join(root, 'tsconfig.dts.json'),
      generator: 'tsgo',
      tsgo: { path: join(root, 'node_modules', '.bin', 'tsc') },
    },
    // Published types use no package but msw, so other imports are dropped.
    inputOptions: { treeshake: { moduleSideEffects: false } },
    deps: { alwaysBundle: [/^@svc\//], neverBundle: [/^(?!@svc\/|[./])/], onlyBundle: false },
  },
]);

/** A large object starts faster as JSON in a string than as a literal. */
function parsedJson(file: string) {
  const json = JSON.stringify(JSON.parse(readFileSync(file, 'utf8')));
  const text = json.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return { code: `export default JSON.parse('${text}');\n`, moduleType: 'js' as const };
}
