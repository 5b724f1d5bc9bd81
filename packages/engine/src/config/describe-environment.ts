import { environmentSchema } from './environment-schema.ts';

/** A variable as the documentation and `svc-server help environment` show it; texts may contain Markdown code. */
export interface VariableHelp {
  name: string;
  description: string;
  shownDefault: string;
}

export function listVariables(): VariableHelp[] {
  return Object.entries(environmentSchema.shape).map(([name, schema]) => {
    const { description = '', shownDefault } = schema.meta() ?? {};
    const value = schema.safeParse(undefined).data;
    if (description === '') throw new Error(`${name} has no description`);
    if (shownDefault === undefined && value === undefined) throw new Error(`${name} shows no default`);
    return {
      name,
      description,
      shownDefault: typeof shownDefault === 'string' ? shownDefault : `\`${toText(value)}\``,
    };
  });
}

/** Default values are texts, numbers and lists of texts. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the text of `svc-server help environment`, in lines of at most `width` characters. */
export function describeEnvironment(width: number): string {
  const blocks = listVariables().map(({ name, description, shownDefault }) =>
    [name, ...wrap(`${description} Default: ${shownDefault}.`.replaceAll('`', ''), width - 2)].join('\n  '),
  );
  return `svc-server is configured by these variables. An empty one counts as absent; svc-server doctor checks them.\n\n${blocks.join('\n')}\n`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
