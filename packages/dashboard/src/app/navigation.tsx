import { Link, useLocation } from 'wouter';
import { BASE_PATH } from '../data/base.ts';
import { call } from '../data/http.ts';
import { useOperation } from '../data/operations.ts';
import type { SessionUser } from '../data/session.tsx';
import { Button } from '../parts/button.tsx';
import { NAV_GROUPS, type Route } from '../pages/route.ts';
import { ROUTES } from './routes.ts';
import styles from './shell.module.css';
import { readTheme, setTheme, THEMES, type Theme } from './theme.ts';

export function Navigation({ className, isOpen, user }: { className: string; isOpen: boolean; user: SessionUser }) {
  const [location, navigate] = useLocation();
  const accounts = useOperation('accounts/list', {}).data?.accounts ?? [];
  // Pages of the installation keep the account that was shown before.
  const current = /^\/accounts\/(\d+)/.exec(location)?.[1] ?? String(accounts[0]?.id ?? '');
  const hrefOf = ({ path, scope }: Route) => (scope === 'account' ? `/accounts/${current}${path}` : path);
  return (
    <div className={className} data-open={isOpen || undefined}>
      {accounts.length > 0 && (
        <select
          aria-label="Account"
          className={styles['account']}
          value={current}
          onChange={(event) => navigate(`/accounts/${event.target.value}/overview`)}
        >
          {accounts.map(({ id, email }) => (
            <option key={id} value={id}>
              {email}
            </option>
          ))}
        </select>
      )}
      <nav aria-label="Pages">
        {NAV_GROUPS.map((group) => {
          const entries = ROUTES.filter(
            ({ nav, scope }) => nav?.group === group && (scope === 'installation' || current !== ''),
          );
          return entries.length === 0 ? null : (
            <div key={group}>
              {group !== '' && <p className={styles['group']}>{group}</p>}
              <ul>
                {entries.map((route) => {
                  const href = hrefOf(route);
                  const isHere = location === href || location.startsWith(`${href}/`);
                  return (
                    <li key={href}>
                      <Link href={href} aria-current={isHere ? 'page' : undefined}>
                        {route.nav?.label}
                      </Link>
                    </li>
                  );
                })}
              </ul>
            </div>
          );
        })}
      </nav>
      <User user={user} />
    </div>
  );
}

function User({ user }: { user: SessionUser }) {
  const signOut = async () => {
    await call('DELETE', 'session');
    // A new page has nothing in memory of what the user saw.
    location.assign(BASE_PATH);
  };
  return (
    <div className={styles['foot']}>
      <Link href="/me">{user.email}</Link>
      <span>{user.role === 'admin' ? 'Admin' : 'Viewer: sees everything, changes nothing'}</span>
      <select aria-label="Theme" defaultValue={readTheme()} onChange={(event) => setTheme(event.target.value as Theme)}>
        {THEMES.map((theme) => (
          <option key={theme} value={theme}>
            {theme === 'system' ? 'Theme of the system' : theme === 'light' ? 'Light' : 'Dark'}
          </option>
        ))}
      </select>
      <Button isSmall onClick={() => void signOut()}>
        Sign out
      </Button>
    </div>
  );
}
