import { posix } from 'node:path';

/**
 * The folders of each package's `src`, from the top layer to the bottom one. A file may import from its own folder and from lower
 * layers, type-only imports included. Folders on one line are siblings, which do not import each other. `.` stands for the files
 * that lie in `src` itself.
 */
const layersOf: Readonly<Record<string, readonly (readonly string[])[]>> = {
  cli: [
    ['main', 'commands'],
    ['features'],
    ['command'],
    ['config'],
    ['format'],
    ['terminal'],
    ['http'],
    ['errors'],
    ['generated'],
  ],
  server: [['main'], ['admin', 'dashboard', 'mcp'], ['http'], ['inbound'], ['generated']],
  operations: [
    // `perform.ts`
    ['.'],
    ['doctor'],
    ['implemented'],
    ['declared'],
    ['store'],
  ],
  engine: [
    ['world'],
    ['blocklists', 'wiring', 'backfill'],
    ['pipeline'],
    ['webhooks', 'alerts'],
    ['queue'],
    ['crm'],
    // `context.ts`
    ['.'],
    ['secrets'],
    ['store', 'outbound'],
    ['jobs'],
    ['runtime'],
    ['config'],
  ],
  crm: [['.'], ['hubspot', 'salesforce', 'pipedrive'], ['oauth', 'events', 'records'], ['http'], ['port']],
  simulators: [['.'], ['hubspot', 'salesforce', 'pipedrive', 'sequencers'], ['oauth'], ['http']],
  domain: [
    ['alerts'],
    ['resources', 'forwarding', 'relays'],
    ['webhooks'],
    ['pages'],
    ['world'],
    ['policy'],
    ['mappings'],
    ['contacts'],
    ['requests', 'syncs'],
    ['account'],
    ['network', 'values', 'blocklists'],
    ['errors'],
  ],
  sdk: [
    ['.'],
    ['resources'],
    ['flows'],
    ['lists'],
    ['calls'],
    ['http'],
    ['webhooks', 'validate'],
    ['options'],
    ['errors'],
  ],
  // `server.ts`, `operations.ts`
  mcp: [['.'], ['tools'], ['answers'], ['explain']],
  sequencers: [
    ['authenticity', 'mapping-tools', 'webhooks', 'history'],
    ['mappings'],
    ['events', 'blocklists'],
    ['calls'],
  ],
  conformance: [['suites'], ['differential'], ['fuzz'], ['cases'], ['harness']],
  // `main.tsx`
  dashboard: [['.'], ['app'], ['pages'], ['forms'], ['data'], ['parts'], ['generated']],
  mock: [['.'], ['skins'], ['control', 'cassette'], ['service', 'db'], ['state'], ['generated']],
};

type Node = { readonly type: string };
type WithSource = Node & { readonly source: { readonly value?: unknown } | null };
type Context = {
  readonly filename: string;
  report(problem: { readonly node: Node; readonly message: string }): void;
};

/** `svc/layers`: an import never points to a higher layer of the same package. */
export const layers = {
  create(context: Context) {
    const from = placeOf(context.filename);
    if (from === null || isTest(context.filename)) return {};
    const check = (node: WithSource): void => {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string' || !specifier.startsWith('.')) return;
      const to = placeOf(posix.join(posix.dirname(context.filename.replaceAll('\\', '/')), specifier));
      if (to === null || to.package !== from.package || to.folder === from.folder) return;
      if (levelOf(to) <= levelOf(from)) {
        context.report({ node, message: `${from.package}: '${from.folder}' may not import from '${to.folder}'` });
      }
    };
    return {
      Program(node: Node) {
        if (levelOf(from) < 0) context.report({ node, message: `name the layer of '${from.folder}' in layers.ts` });
      },
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
    };
  },
};

type Place = { readonly package: string; readonly folder: string };

/** The package and folder of a source file; null outside the packages that have layers. */
function placeOf(file: string): Place | null {
  const match = /packages\/([^/]+)\/src\/(?:([^/]+)\/)?./.exec(file.replaceAll('\\', '/'));
  const name = match?.[1];
  return name === undefined || layersOf[name] === undefined ? null : { package: name, folder: match?.[2] ?? '.' };
}

function levelOf(place: Place): number {
  return (layersOf[place.package] ?? []).findIndex((siblings) => siblings.includes(place.folder));
}

function isTest(file: string): boolean {
  return /\.(test|test-d|fixture)\.tsx?$/.test(file);
}
