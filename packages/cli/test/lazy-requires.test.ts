import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { makeLazy } from '../scripts/lazy-requires.ts';

const CODE = `"use strict";
const one_1 = require("./one");
const two_1 = __importDefault(require('./two'));
var three_1 = require("./three");
Object.defineProperty(exports, "three", { get: function () { return three_1.three; } });
class Mine extends one_1.Base {}
exports.base = () => new Mine().name;
exports.make = () => new one_1.Base().name;
exports.call = () => (0, two_1.default)("x") + \`\${two_1.default("y")}\`;
exports.other = (value) => value.one_1;
`;

test('a module is required when it is first used', () => {
  const required: string[] = [];
  const modules: Readonly<Record<string, unknown>> = {
    './one': {
      Base: class {
        name = 'base';
      },
    },
    './two': (text: string) => `<${text}>`,
    './three': { three: 3 },
  };
  const exports: Record<string, unknown> = {};
  const require = (name: string) => {
    required.push(name);
    return modules[name];
  };
  const sandbox = { exports, require, __importDefault: (value: unknown) => ({ default: value }) };
  runInNewContext(makeLazy(CODE), sandbox);
  const call = (expression: string): unknown => runInNewContext(expression, sandbox);

  // `extends` needs its class immediately.
  expect(required).toEqual(['./one']);
  expect([call('exports.base()'), call('exports.make()')]).toEqual(['base', 'base']);
  expect(call('exports.call()')).toBe('<x><y>');
  expect(call('exports.three')).toBe(3);
  expect(call('exports.other({ one_1: 1 })')).toBe(1);
  expect(required).toEqual(['./one', './two', './three']);
});
