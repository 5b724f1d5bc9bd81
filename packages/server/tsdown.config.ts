import { join } from 'node:path';
import { defineConfig } from 'tsdown';

const root = join(import.meta.dirname, '..', '..');

export default defineConfig({
  entry: {
    index: 'src/main/index.ts',
    main: 'src/main/main.ts',
    'compile-cache': join(root, 'scripts', 'compile-cache.ts'),
  },
  outDir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node22',
  tsconfig: 'tsconfig.json',
  dts: {
    entry: 'src/main/index.ts',
    tsconfig: join(root, 'tsconfig.dts.json'),
    generator: 'tsgo',
    tsgo: { path: join(root, 'node_modules', '.bin', 'tsc') },
  },
  hash: false,
  outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  // Contract, domain and the demo world are not published: they come along. Everything from npm stays a dependency, except
  // OpenTelemetry and the SDK of MCP: few use them, and little of their 17 and 9 MB is needed.
  deps: { alwaysBundle: [/^@svc\//, /^@opentelemetry\//, /^@modelcontextprotocol\//], onlyBundle: false },
});
