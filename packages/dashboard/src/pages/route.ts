import type { ComponentType } from 'react';

/** A page of the dashboard. */
export interface Route {
  /**
   * Pattern of wouter, with a leading slash. With `scope: 'account'` it is relative to `/accounts/:account`, and the page gets the account from
   * `useAccountId`.
   */
  readonly path: string;
  readonly scope: 'account' | 'installation';
  /** Loads the page when somebody opens it. */
  readonly load: () => Promise<{ readonly default: ComponentType }>;
  /** The entry of the navigation; pages of one thing have none. */
  readonly nav?: { readonly group: NavGroup; readonly label: string };
}

export const NAV_GROUPS = ['', 'Pipeline', 'Logs', 'API', 'Installation'] as const;
export type NavGroup = (typeof NAV_GROUPS)[number];
