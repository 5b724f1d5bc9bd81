/**
 * Finds the route of a request in one walk over the segments of its path, however many routes there are.
 *
 * The rule: letter case and trailing slashes matter; a segment that is spelled out beats a parameter; HEAD is served as GET;
 * a parameter is one segment that is not empty, percent-decoded, and what cannot be decoded is no route at all.
 */
export interface Route {
  readonly method: string;
  /** As in OpenAPI: `/api/v1/syncs/{id}`. */
  readonly path: string;
}

export interface RouteMatch<R extends Route> {
  readonly route: R;
  readonly params: Readonly<Record<string, string>>;
}

/** @param target path and query as they were sent */
export type Router<R extends Route> = (method: string, target: string) => RouteMatch<R> | null;

interface Entry<R extends Route> {
  readonly route: R;
  readonly segments: readonly string[];
  readonly params: readonly { readonly name: string; readonly index: number }[];
}

/** What may follow the segments so far. Where a literal segment leads, the routes that have a parameter there lead too. */
interface Node<R extends Route> {
  readonly end: Entry<R> | null;
  readonly literals: ReadonlyMap<string, Node<R>>;
  readonly parameter: Node<R> | null;
}

export function createRouter<R extends Route>(routes: readonly R[]): Router<R> {
  const trees = new Map(
    [...Map.groupBy(routes, ({ method }) => method)].map(([method, group]) => [method, toNode(group.map(toEntry), 0)]),
  );
  return (method, target) => {
    const tree = trees.get(method === 'HEAD' ? 'GET' : method);
    return tree === undefined ? null : walk(tree, pathOf(target).split('/'));
  };
}

/** The path of a request target, without its query. */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}

function walk<R extends Route>(tree: Node<R>, segments: readonly string[]): RouteMatch<R> | null {
  let node: Node<R> | null | undefined = tree;
  for (const segment of segments) {
    node = node.literals.get(segment) ?? (segment === '' ? null : node.parameter);
    if (node === null) return null;
  }
  return node.end === null ? null : decode(node.end, segments);
}

function decode<R extends Route>({ route, params }: Entry<R>, segments: readonly string[]): RouteMatch<R> | null {
  const values: Record<string, string> = {};
  for (const { name, index } of params) {
    const value = decodeSegment(segments[index] ?? '');
    if (value === null) return null;
    values[name] = value;
  }
  return { route, params: values };
}

function decodeSegment(segment: string): string | null {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

function toEntry<R extends Route>(route: R): Entry<R> {
  const segments = route.path.split('/');
  const params = segments.flatMap((segment, index) => {
    const name = parameterName(segment);
    return name === null ? [] : [{ name, index }];
  });
  return { route, segments, params };
}

/** @param entries those that agree with the path so far, the better ones first */
function toNode<R extends Route>(entries: readonly Entry<R>[], depth: number): Node<R> {
  const withParameter: Entry<R>[] = [];
  const byLiteral = new Map<string, Entry<R>[]>();
  for (const entry of entries) {
    const segment = entry.segments[depth];
    if (segment === undefined) continue;
    if (parameterName(segment) !== null) withParameter.push(entry);
    else byLiteral.set(segment, [...(byLiteral.get(segment) ?? []), entry]);
  }
  return {
    end: entries.find(({ segments }) => segments.length === depth) ?? null,
    literals: new Map(
      [...byLiteral].map(([segment, group]) => [segment, toNode([...group, ...withParameter], depth + 1)]),
    ),
    parameter: withParameter.length === 0 ? null : toNode(withParameter, depth + 1),
  };
}

function parameterName(segment: string): string | null {
  return /^\{(\w+)\}$/.exec(segment)?.[1] ?? null;
}
