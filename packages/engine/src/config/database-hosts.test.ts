import { describe, expect, test } from 'vitest';
import { splitDatabaseUrl, splitHosts } from './database-hosts.ts';

describe('the hosts of a database URL', () => {
  test.each([
    ['postgres://user:pw@db:5432/svc', ['postgres://user:pw@db:5432/svc']],
    ['postgresql:///svc?host=/run/postgresql', ['postgresql:///svc?host=/run/postgresql']],
    [
      'postgres://user:p%40w@db1:5432,db2:5433/svc?target_session_attrs=read-write&sslmode=require',
      [
        'postgres://user:p%40w@db1:5432/svc?target_session_attrs=read-write&sslmode=require',
        'postgres://user:p%40w@db2:5433/svc?target_session_attrs=read-write&sslmode=require',
      ],
    ],
    ['postgres://[::1]:5432,[::2]:5432/svc', ['postgres://[::1]:5432/svc', 'postgres://[::2]:5432/svc']],
  ])('%s', (url, urls) => {
    expect(splitDatabaseUrl(url)).toEqual(urls);
  });

  test('hosts to read from may be standbys', () => {
    expect(splitHosts('postgres://db1,db2/svc?target_session_attrs=any')).toHaveLength(2);
    expect(splitHosts('mysql://db1/svc')).toBeNull();
  });

  test.each([
    ['another protocol', 'mysql://db/svc'],
    ['no URL', 'db1,db2'],
    ['an empty host', 'postgres://db1,,db2/svc'],
    ['a port that is none', 'postgres://db1:5432,db2:port/svc'],
    ['hosts that need not accept writes', 'postgres://db1,db2/svc?target_session_attrs=any'],
    ['a standby', 'postgres://db1/svc?target_session_attrs=standby'],
  ])('refused: %s', (_, url) => {
    expect(splitDatabaseUrl(url)).toBeNull();
  });
});
