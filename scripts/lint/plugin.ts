import { jobKinds } from './job-kinds.ts';
import { layers } from './layers.ts';
import { sqlHome } from './sql-home.ts';

/**
 * Rules that Oxlint does not have.
 *
 * - `svc/pure`, for contract and domain: `new Date()` and `Date()` read the clock, while `new Date(value)` is fine; `import()`
 *   would walk around the rules about import directions.
 * - `svc/zod-namespace`: `import { z } from 'zod'` pulls all of zod into a browser bundle, 92 kB instead of 25 kB.
 *   (`no-restricted-imports` with `importNames` would refuse `import * as z` as well.)
 * - `svc/layers`: the order of the folders inside a package (`layers.ts`).
 * - `svc/job-kinds`: kinds of jobs are named in their table only (`job-kinds.ts`).
 * - `svc/sql-home`: where statements of SQL stand (`sql-home.ts`).
 * - `svc/file-url-path`: `new URL('x', import.meta.url).pathname` is no path where a folder has a space in its name.
 */
type Node = { readonly type: string };
type Callee = Node & { readonly name?: string };
type Call = Node & { readonly callee: Callee; readonly arguments: readonly Node[] };
type Specifier = Node & { readonly imported?: { readonly name?: string } };
type Import = Node & { readonly source: { readonly value: string }; readonly specifiers: readonly Specifier[] };
type Member = Node & { readonly object: Node; readonly property: { readonly name?: string } };
type Context = { report(problem: { readonly node: Node; readonly message: string }): void };

const clockMessage = 'the clock is an argument here: take `now` from the caller';

const pure = {
  create(context: Context) {
    return {
      NewExpression(node: Call) {
        if (node.callee.name === 'Date' && node.arguments.length === 0) context.report({ node, message: clockMessage });
      },
      CallExpression(node: Call) {
        if (node.callee.name === 'Date') context.report({ node, message: clockMessage });
      },
      ImportExpression(node: Node) {
        context.report({ node, message: 'pure code imports statically, so that its directions can be checked' });
      },
    };
  },
};

const zodNamespace = {
  create(context: Context) {
    return {
      ImportDeclaration(node: Import) {
        if (!/^zod(\/|$)/.test(node.source.value)) return;
        for (const specifier of node.specifiers) {
          const isWhole = specifier.type === 'ImportDefaultSpecifier' || specifier.imported?.name === 'z';
          if (isWhole) context.report({ node: specifier, message: "write `import * as z from 'zod'`" });
        }
      },
    };
  },
};

const fileUrlPath = {
  create(context: Context) {
    return {
      MemberExpression(node: Member) {
        if (node.property.name !== 'pathname' || !isCall(node.object)) return;
        const base = node.object.arguments[1];
        const isFile =
          base !== undefined && isMember(base) && base.property.name === 'url' && base.object.type === 'MetaProperty';
        if (isFile) context.report({ node, message: 'use fileURLToPath(new URL(..., import.meta.url))' });
      },
    };
  },
};

function isCall(node: Node): node is Call {
  return node.type === 'NewExpression';
}

function isMember(node: Node): node is Member {
  return node.type === 'MemberExpression';
}

export default {
  meta: { name: 'svc' },
  rules: {
    pure,
    layers,
    'job-kinds': jobKinds,
    'sql-home': sqlHome,
    'zod-namespace': zodNamespace,
    'file-url-path': fileUrlPath,
  },
};
