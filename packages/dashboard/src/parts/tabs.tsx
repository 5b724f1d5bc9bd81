/** The parts of one thing, each with an address of its own. */
import { Link, useLocation } from 'wouter';
import styles from './tabs.module.css';

export function Tabs({ label, tabs }: { label: string; tabs: readonly { label: string; href: string }[] }) {
  const [location] = useLocation();
  return (
    <nav aria-label={label} className={styles['list']}>
      {tabs.map((tab) => (
        <Link key={tab.href} href={tab.href} aria-current={location === tab.href ? 'page' : undefined}>
          {tab.label}
        </Link>
      ))}
    </nav>
  );
}
