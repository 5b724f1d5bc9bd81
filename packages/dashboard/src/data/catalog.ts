/** What the declarations of the operations say, for forms and for the commands that pages show. */
import type { AdminOperationName } from '@svc/operations/perform';
import { useQuery } from '@tanstack/react-query';

export interface CatalogField {
  readonly name: string;
  readonly kind: 'id' | 'text' | 'texts' | 'number' | 'boolean' | 'choice' | 'choices' | 'json';
  readonly choices?: readonly string[];
  readonly isOptional: boolean;
  readonly default?: unknown;
  /** The flag with its placeholder, or the argument: `--name <name>`, `<id>`. */
  readonly flag?: string;
  readonly description?: string;
  /** The command reads the value from a prompt or stdin, and never from its arguments. */
  readonly isSecret?: true;
  /** The flag names a file with the value. */
  readonly isFile?: true;
  /** The flag that takes the value away. */
  readonly noneFlag?: string;
}

export interface CatalogEntry {
  /** The words of the command; null where no command does just this. */
  readonly command: readonly string[] | null;
  readonly description: string;
  readonly permission: 'read' | 'write';
  readonly needsRecentSignIn: boolean;
  readonly fields: readonly CatalogField[];
}

type Catalog = Readonly<Record<string, CatalogEntry>>;

/** Returns what is declared of an operation; undefined until the catalog is loaded, and for what only the machine offers. */
export function useCatalogEntry(name: AdminOperationName): CatalogEntry | undefined {
  const { data } = useQuery({
    queryKey: ['catalog'],
    queryFn: async (): Promise<Catalog> => (await import('../generated/catalog.json')).default as Catalog,
    staleTime: Infinity,
  });
  return data?.[name];
}
