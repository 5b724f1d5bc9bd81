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
    // Together, so that the demo world is there once. What only some of them need becomes files that the others do not load.
    entry: {
      index: 'src/index.ts',
      browser: 'src/browser.ts',
      main: 'src/main.ts',
      'compile-cache': join(root, 'scripts', 'compile-cache.ts'),
    },
    // Pages load `browser`: an import of a Node built-in must not be resolved away silently.
    platform: 'neutral',
    target: 'es2023',
    dts: false,
    // `ipaddr.js` names its entry so.
    inputOptions: { resolve: { mainFields: ['module', 'main'] } },
    // The package runs alone: everything comes along, ours and that of others. msw is the user's own.
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
    // No published type is one of another package but msw: what is only imported on the way goes.
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
