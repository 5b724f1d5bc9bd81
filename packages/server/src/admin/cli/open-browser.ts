import { hasDisplay } from '@svc/engine/config/config';

/** Opens a page in the default browser; does nothing without a desktop. The caller prints the address too. */
export async function openBrowser(url: string): Promise<void> {
  if (!process.stdout.isTTY || !hasDisplay()) return;
  const { default: open } = await import('open');
  // Without a browser the printed address is enough.
  await open(url).catch(() => {});
}
