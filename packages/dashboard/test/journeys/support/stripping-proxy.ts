import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';

export interface StrippingProxy {
  close(): Promise<void>;
}

/** Compression without flushes waits for more to compress. */
const BUFFERS = 'proxy_ignore_headers X-Accel-Buffering; gzip on; gzip_types text/event-stream; gzip_min_length 0;';

/** Debian's nginx, which takes a prefix away as an operator's proxy may. */
export async function startStrippingProxy(options: {
  port: number;
  prefix: string;
  target: string;
  /** Holds answers back, also where they say that they must not be. Default false */
  buffers?: boolean;
}): Promise<StrippingProxy> {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-journeys-nginx-'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${path.join(folder, kind)};`,
  );
  // The worker reads temporary files that only this user may enter.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(
    path.join(folder, 'nginx.conf'),
    `${user} worker_processes 1; daemon off; pid ${path.join(folder, 'pid')}; error_log stderr warn;
     events {}
     http {
       access_log off; ${temporary.join(' ')}
       server {
         listen 127.0.0.1:${options.port};
         location ${options.prefix}/ {
           proxy_pass ${options.target}/;
           proxy_http_version 1.1;
           proxy_set_header Host $http_host;
           proxy_set_header Connection "";
           ${options.buffers === true ? BUFFERS : ''}
         }
       }
     }`,
  );
  const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
  const nginx = spawn('nginx', ['-e', 'stderr', '-p', folder, '-c', 'nginx.conf'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env,
  });
  let complaints = '';
  nginx.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const isOpen = () => {
    if (nginx.exitCode !== null) throw new Error(`nginx ended: ${complaints}`);
    return accepts(options.port);
  };
  await vi.waitUntil(isOpen, { timeout: 60_000, interval: 50 });
  return {
    async close() {
      const exited = nginx.exitCode === null ? once(nginx, 'exit') : null;
      nginx.kill();
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });
}

export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
