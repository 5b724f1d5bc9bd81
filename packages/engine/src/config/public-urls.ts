import { isLoopbackHost } from '@svc/domain/network/loopback';
import { listenUrl } from '@svc/domain/network/listen-url';
import type { Config } from './config.ts';

/** The URLs of this service for clients; never taken from a request's Host header. */
export interface PublicUrls {
  /** Base address of the API, without `/api/v1`. */
  api: string;
  /** Base address of inbound URLs, without `/webhooks`. */
  sync: string;
  dashboard: string;
  docs: string;
}

type UrlConfig = Pick<Config, 'publicUrl' | 'syncUrl' | 'dashboardUrl' | 'docsUrl' | 'dashboard' | 'adminListener'>;

/**
 * @param boundUrl where the server listens; the default of all URLs that are not configured
 * @param adminUrl where the administrative listener is bound. Default: as configured
 */
export function publicUrls(config: UrlConfig, boundUrl: string, adminUrl?: string): PublicUrls {
  const api = config.publicUrl ?? boundUrl;
  const { dashboard, adminListener: listener } = config;
  const home = dashboard === 'admin' && listener ? (adminUrl ?? listenUrl(listener.host, listener.port)) : api;
  return {
    api,
    sync: config.syncUrl ?? api,
    dashboard: config.dashboardUrl ?? `${home}/dashboard`,
    docs: config.docsUrl ?? `${api}/docs`,
  };
}

/** Returns whether a URL's host is loopback. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(new URL(url).host);
}

/**
 * Returns whether `/metrics` is closed without a token. A server with a public address has a proxy in front, whose
 * connections may appear to come from this machine.
 */
export function needsMetricsToken({ api, sync }: PublicUrls): boolean {
  return !isLoopbackUrl(api) || !isLoopbackUrl(sync);
}

/** Returns the registered apps, and where each vendor's OAuth is. */
export function oauthAddresses({ oauthClients, oauthLoginUrls: login, crmUrls }: Config) {
  return {
    clients: oauthClients,
    urls: {
      HUBSPOT: { loginUrl: login.HUBSPOT, apiUrl: crmUrls['HUBSPOT'] ?? '' },
      SALESFORCE: { loginUrl: login.SALESFORCE, apiUrl: login.SALESFORCE },
      PIPEDRIVE: { loginUrl: login.PIPEDRIVE, apiUrl: login.PIPEDRIVE },
    },
  };
}
