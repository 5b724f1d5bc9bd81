/**
 * oclif requires at the top of each of its files whatever the file may ever need, so that one plain command runs 150 modules:
 * the help, the search for commands without a manifest, the loaders of TypeScript, spinners. While the bundle is made, each
 * `const x = require('y')` of its files becomes one that happens when `x` is first used.
 */

const REQUIRE =
  /^(?:const|var) (?<name>\w+) = (?<load>(?:__import(?:Default|Star)\()?require\((?:"[^"]+"|'[^']+')\)\)?);$/gm;

/** Look for commands and plugins in folders, which the manifest and the lack of plugins make needless. */
const NEVER_USED = ['tinyglobby', 'minimatch'];
const NEVER_USED_ID = '\0never-used';

/** A plugin of the bundler. */
export function lazyRequires() {
  return {
    name: 'lazy-requires',
    resolveId: (id: string) => (NEVER_USED.includes(id) ? NEVER_USED_ID : null),
    load: (id: string) => (id === NEVER_USED_ID ? 'module.exports = {};' : null),
    transform: (code: string, id: string) =>
      /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/.test(id) ? makeLazy(code) : null,
  };
}

/** For CommonJS as TypeScript writes it. */
export function makeLazy(code: string): string {
  const names = [...code.matchAll(REQUIRE)].map(({ groups }) => groups?.name ?? '');
  const declarations: string[] = [];
  let lazy = code.replace(REQUIRE, (_line, name: string, load: string) => {
    // `var` and functions are there before the file is through: a cycle of requires may ask for them that early.
    declarations.push(`var ${name}_loaded; function ${name}() { return ${name}_loaded ??= ${load}; }`);
    return '';
  });
  // In brackets, because of `new x.Y()`.
  for (const name of names) lazy = lazy.replaceAll(new RegExp(`(?<![\\w$.])${name}(?![\\w$])`, 'g'), `(${name}())`);
  return `${lazy}\n${declarations.join('\n')}\n`;
}
