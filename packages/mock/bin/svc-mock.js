#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';

// A busy mock makes much short-lived garbage, for which V8 would grow its new space to 128 MB and keep it. What it has grown to when this is
// said stays, so it is said before the program is loaded.
setFlagsFromString('--semi-space-growth-factor=1');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`svc-mock needs Node 22.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}
const entry = new URL('../dist/main.js', import.meta.url);
if (!existsSync(entry)) {
  console.error('svc-mock is not built yet: run `npm run build` in the repository first.');
  process.exit(1);
}
(await import(new URL('../dist/compile-cache.js', import.meta.url).href)).enableCompileCache();
await import(entry.href);
