import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from '../processes.ts';
import type { StepOutcome } from '../steps.ts';

/** Checks that every export of the SDK has a docstring: the generated reference consists of them. */
export async function checkDocstrings(): Promise<StepOutcome> {
  const folder = join(root, 'packages', 'sdk');
  const manifest: { exports: Record<string, string> } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const entries = Object.values(manifest.exports).map((file) => join(folder, file));
  const config = ts.getParsedCommandLineOfConfigFile(join(folder, 'tsconfig.pure.json'), {}, hostOfConfig());
  const program = ts.createProgram(entries, config?.options ?? {});
  const checker = program.getTypeChecker();

  const problems = new Set<string>();
  let count = 0;
  for (const entry of entries) {
    const source = program.getSourceFile(entry);
    const module = source && checker.getSymbolAtLocation(source);
    for (const name of module === undefined ? [] : checker.getExportsOfModule(module)) {
      count += 1;
      const symbol = name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name;
      if (symbol.getDocumentationComment(checker).length > 0 || symbol.getJsDocTags(checker).length > 0) continue;
      const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? entry;
      // Generated types carry the contract's descriptions inside.
      if (file.includes('/generated/')) continue;
      problems.add(`${relative(root, file)}: ${name.getName()} has no docstring`);
    }
  }
  const isComplete = problems.size === 0 && count > 0;
  return { ok: isComplete, output: [...problems].toSorted().join('\n'), note: `${count} names` };
}

function hostOfConfig(): ts.ParseConfigFileHost {
  return { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
}
