import { isLoopbackHost } from '@svc/domain/network/loopback';
import type { Config } from './config.ts';
import type { PublicUrls } from './context.ts';

type UrlConfig = Pick<Config, 'publicUrl' | 'syncUrl' | 'dashboardUrl' | 'docsUrl'>;

/** @param boundUrl where the server listens; stands in for what is not configured */
export function publicUrls(config: UrlConfig, boundUrl: string): PublicUrls {
  const api = config.publicUrl ?? boundUrl;
  return {
    api,
    sync: config.syncUrl ?? api,
    dashboard: config.dashboardUrl ?? `${api}/dashboard`,
    docs: config.docsUrl ?? `${api}/docs`,
  };
}

/** Whether only this machine can reach an address. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(new URL(url).host);
}

/**
 * Whether `/metrics` is closed without a token. A server with a public address has a proxy in front, and the proxy's
 * connections may look like those of this machine.
 */
export function needsMetricsToken({ api, sync }: PublicUrls): boolean {
  return !isLoopbackUrl(api) || !isLoopbackUrl(sync);
}
