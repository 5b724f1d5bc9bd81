import { Link } from 'wouter';
import styles from './tabs.module.css';

/** The pages of one thing, each with an address of its own. */
export function Tabs({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: readonly { href: string; label: string }[];
  /** The address of the tab that is open. */
  current: string;
}) {
  return (
    <nav aria-label={label} className={styles['tabs']}>
      <ul>
        {tabs.map((tab) => (
          <li key={tab.href}>
            <Link href={tab.href} aria-current={tab.href === current ? 'page' : undefined}>
              {tab.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
