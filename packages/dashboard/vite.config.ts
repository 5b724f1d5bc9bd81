import { defineConfig } from 'vite';

export default defineConfig({
  // The server writes a `<base>` into the page, so that it works below any prefix.
  base: './',
  oxc: { jsx: { runtime: 'automatic' } },
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  build: {
    target: 'es2022',
    // The policy of the page allows no data: for scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    sourcemap: false,
    license: { fileName: 'LICENSES.md' },
    rolldownOptions: {
      // Base UI marks its files for servers that render React, which nobody does here.
      onwarn: (warning, warn) => (warning.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : warn(warning)),
    },
  },
});
