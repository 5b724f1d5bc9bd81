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
