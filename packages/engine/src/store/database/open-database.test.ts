/** What a start says about a PostgreSQL whose encryption cannot be used. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { LOOPBACK_CERTIFICATE } from '../../../test/support/loopback-certificate.ts';
import { ConfigError, readConfig } from '../../config/config.ts';
import { generateEncryptionKey } from '../../secrets/secret-box.ts';
import { DatabaseUnavailableError } from './db.ts';
import { openDatabase } from './open-database.ts';
import { openPostgres } from './postgres.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Answers the question for encryption as PostgreSQL does: with TLS, or that it has none. */
async function startGreeter(hasTls: boolean): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(hasTls ? 'S' : 'N');
      if (!hasTls) return;
      new TLSSocket(socket, { isServer: true, ...LOOPBACK_CERTIFICATE }).on('error', () => {});
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `postgres://svc:PASSWORD@127.0.0.1:${(server.address() as AddressInfo).port}/svc?sslmode=verify-full`;
}

const start = (url: string) =>
  openDatabase(
    readConfig({ DATABASE_URL: url, SVC_ENCRYPTION_KEY: generateEncryptionKey() }),
    '',
    pino({ level: 'silent' }),
  );

test('a certificate that is not trusted is a mistake of the configuration, with what to do', async () => {
  const failure = await start(await startGreeter(true)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConfigError);
  expect(String(failure)).toMatch(
    /DATABASE_URL cannot be used: self-signed certificate.*sslmode=verify-full&sslrootcert=FILE/,
  );
});

test('so is a server without encryption', async () => {
  await expect(start(await startGreeter(false))).rejects.toThrow(
    /DATABASE_URL cannot be used: The server does not support SSL connections.*ssl = on/,
  );
});

test('in a running server, the database is away while its certificate is not valid', async () => {
  const db = openPostgres(await startGreeter(true));
  cleanUps.push(() => db.close());
  await expect(db.query('select 1')).rejects.toThrow(DatabaseUnavailableError);
});
