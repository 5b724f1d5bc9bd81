#!/usr/bin/env node
import { existsSync } from 'node:fs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`svc-server needs Node 22.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}
const entry = new URL('../dist/main.js', import.meta.url);
if (!existsSync(entry)) {
  console.error('svc-server is not built yet: run `npm run build` in the repository first.');
  process.exit(1);
}
(await import(new URL('../dist/compile-cache.js', import.meta.url).href)).enableCompileCache();
await import(entry.href);
