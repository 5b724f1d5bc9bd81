/** Shows parts of the pages in the browser of the test, inside what the app gives every page. */
import '../../../src/parts/tokens.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import axe from 'axe-core';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, onTestFinished, vi } from 'vitest';
import { page } from 'vitest/browser';
import { Router } from 'wouter';
import { SessionProvider } from '../../../src/data/session.tsx';
import { ToastProvider } from '../../../src/parts/toast.tsx';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const THEMES = ['light', 'dark'] as const;

const problems: string[] = [];

// React reports wrong attributes and missing keys on the console.
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation((...parts) => void problems.push(parts.map(String).join(' ')));
});
afterEach(() => {
  expect(problems.splice(0)).toEqual([]);
});

/** Shows an element until the end of the test, as a user with this role sees it. */
export function show(element: ReactNode, { role = 'admin' }: { role?: 'admin' | 'viewer' } = {}): HTMLElement {
  const container = document.body.appendChild(document.createElement('main'));
  const root = createRoot(container);
  const user = { id: 1, email: 'kim@example.com', role, hasPassword: true, hasOidc: false, isRecent: true };
  root.render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
          <ToastProvider>
            <Tooltip.Provider delay={0}>
              <Router>
                <SessionProvider
                  session={{
                    user: { ...user, signedInAt: '2026-03-14T09:00:00.000Z' },
                    methods: { password: true, oidc: null },
                    version: '1.0.0',
                    urls: { api: '', sync: '', docs: '' },
                  }}
                >
                  {element}
                </SessionProvider>
              </Router>
            </Tooltip.Provider>
          </ToastProvider>
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
  onTestFinished(() => {
    root.unmount();
    container.remove();
  });
  return container;
}

/** Fails for what axe finds in the whole document, in both themes. */
export async function expectAccessible(): Promise<void> {
  // A dialog fades in, and axe would measure the contrast of its half-transparent text.
  await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {})));
  for (const theme of THEMES) {
    document.documentElement.dataset['theme'] = theme;
    const { violations } = await axe.run(document, { runOnly: RULES, resultTypes: ['violations'] });
    const found = violations.map(({ id, nodes }) => `${theme} ${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
    expect(found).toEqual([]);
  }
  delete document.documentElement.dataset['theme'];
}

/** Fails when the page is wider than a phone. */
export async function expectFitsPhone(): Promise<void> {
  await page.viewport(390, 700);
  const { scrollWidth, clientWidth } = document.documentElement;
  expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
  await page.viewport(900, 700);
}
