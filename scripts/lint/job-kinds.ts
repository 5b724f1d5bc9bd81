import { listKinds } from '../../packages/engine/src/jobs/kinds.ts';

type Node = { readonly type: string };
type Literal = Node & { readonly value?: unknown };
type TemplateElement = Node & { readonly value: { readonly raw: string } };
type Context = {
  readonly filename: string;
  report(problem: { readonly node: Node; readonly message: string }): void;
};

const KINDS = listKinds();
const PLACES = /packages\/(engine|server|operations)\/src\//;
const HOME = /\/jobs\/kinds\.ts$/;
const TEST = /\.(test|fixture)\.ts$/;

/** `svc/job-kinds`: the name of a kind of jobs stands in the table of kinds only, also in SQL. */
export const jobKinds = {
  create(context: Context) {
    const file = context.filename.replaceAll('\\', '/');
    if (!PLACES.test(file) || HOME.test(file) || TEST.test(file)) return {};
    const check = (node: Node, text: string): void => {
      const kind = KINDS.find((name) => text === name || text.includes(`'${name}'`));
      if (kind === undefined) return;
      const message = `take '${kind}' from engine/src/jobs/kinds.ts, the table of what everybody does with each kind of jobs`;
      context.report({ node, message });
    };
    return {
      Literal(node: Literal) {
        if (typeof node.value === 'string') check(node, node.value);
      },
      TemplateElement(node: TemplateElement) {
        check(node, node.value.raw);
      },
    };
  },
};
