/** Tests of the parts and forms in the machine's chromium: `vitest run --config packages/dashboard/vitest.browser.config.ts`. */
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { findChromiumOrLeaveOut } from '../../scripts/vitest/chromium.ts';

const executablePath = findChromiumOrLeaveOut();
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--no-first-run'];

export default defineConfig({
  root: import.meta.dirname,
  oxc: { jsx: { runtime: 'automatic' } },
  logLevel: 'error',
  cacheDir: '../../.cache/vite-components',
  test: {
    include: executablePath === null ? [] : ['test/components/*.test.tsx'],
    passWithNoTests: executablePath === null,
    // A busy machine may be slow.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      viewport: { width: 900, height: 700 },
      provider: playwright({ launchOptions: { ...(executablePath !== null && { executablePath }), args } }),
      instances: [{ browser: 'chromium' }],
    },
  },
});
