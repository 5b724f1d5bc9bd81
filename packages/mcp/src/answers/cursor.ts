import * as z from 'zod';
import { ToolError } from './errors.ts';

/** Where a search goes on. It holds the search itself, so that it cannot be mixed with other filters. */
const positionSchema = z.strictObject({
  /** Name of the tool. */
  tool: z.string(),
  /** Arguments as the caller gave them. */
  args: z.record(z.string(), z.unknown()),
  /** The range as it was resolved first. */
  range: z.strictObject({ from: z.string(), to: z.string() }).nullable(),
  /** Page of the API; null for the first one. */
  resume: z
    .strictObject({
      cursor: z.string().nullable(),
      window: z.exactOptional(
        z.strictObject({
          from: z.string(),
          to: z.string(),
          windowTo: z.string(),
          seamIds: z.array(z.union([z.number(), z.string()])).readonly(),
        }),
      ),
    })
    .nullable(),
  /** Rows of that page that were shown. */
  skip: z.int().min(0),
});

export type Position = z.infer<typeof positionSchema>;

export function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * @param args the arguments that come with the cursor: the same as before, or none
 * @throws ToolError for a cursor of another search
 */
export function decodeCursor(cursor: string, tool: string, args: Readonly<Record<string, unknown>>): Position {
  const position = parse(cursor);
  if (position === null || position.tool !== tool) {
    throw new ToolError('This is no cursor of this tool. Pass nextCursor as the tool returned it, or search anew.');
  }
  const other = Object.keys(args).find((name) => JSON.stringify(args[name]) !== JSON.stringify(position.args[name]));
  if (other !== undefined) {
    throw new ToolError(`The cursor belongs to a search with another ${other}. Pass the cursor alone, or search anew.`);
  }
  return position;
}

function parse(cursor: string): Position | null {
  try {
    return positionSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    return null;
  }
}
