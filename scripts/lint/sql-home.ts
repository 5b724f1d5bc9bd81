type Node = { readonly type: string };
type Literal = Node & { readonly value?: unknown };
type Template = Node & { readonly quasis: readonly { readonly value: { readonly raw: string } }[] };
type Context = {
  readonly filename: string;
  report(problem: { readonly node: Node; readonly message: string }): void;
};

const PLACES = /packages\/(engine|server|operations)\/src\//;
/** Where SQL stands: the folders of tables, the folder of the tables of jobs, and files with the SQL of a feature. */
const HOMES = /\/src\/(store|queue)\/|\.sql\.ts$/;
const TEST = /\.(test|fixture)\.ts$/;
/**
 * The beginning of a statement, at the beginning of a text or in brackets. Words of sentences, such as "select a file", do not
 * go on like this. `x` stands for an inserted value.
 */
const STATEMENT =
  /(^|\()\s*(select\s+(.*\bfrom\b|exists\b|[\w.]+\()|with\s+(recursive\s+)?(\w+(\s*\([^)]*\))?\s+as\b|x\s*(,|\(|select\b|insert\b|update\b|delete\b))|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|truncate\s|lock\s+table\s|vacuum\b|analyze\b)/is;

/** `svc/sql-home`: a statement of SQL stands in a `store` folder, in `queue`, or in a file `*.sql.ts` beside its feature. */
export const sqlHome = {
  create(context: Context) {
    const file = context.filename.replaceAll('\\', '/');
    if (!PLACES.test(file) || HOMES.test(file) || TEST.test(file)) return {};
    const check = (node: Node, text: string): void => {
      if (!STATEMENT.test(text)) return;
      const message = 'move the SQL to store/, to queue/ (tables of jobs), or to a file *.sql.ts beside this one';
      context.report({ node, message });
    };
    return {
      Literal(node: Literal) {
        if (typeof node.value === 'string') check(node, node.value);
      },
      TemplateLiteral(node: Template) {
        check(node, node.quasis.map(({ value }) => value.raw).join('x'));
      },
    };
  },
};
