import type { Machine } from '../../config/environment.ts';

/** The name of the server in the files of the clients. */
export const SERVER_NAME = 'svc';

/** The variable from which clients read the key for HTTP. */
export const KEY_VARIABLE = 'SVC_API_KEY';

/** The id of the question that VS Code asks for the key. */
export const KEY_INPUT = 'svc-api-key';

export type Scope = 'user' | 'project';

/** How a client reaches the tools. */
export type McpServer =
  | {
      readonly transport: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly transport: 'http'; readonly url: string };

/** What a client keeps about a server. */
export type Entry = Readonly<Record<string, unknown>>;

export interface McpClient {
  readonly title: string;
  /** The configuration file of each scope that the client has. */
  readonly files: { readonly [scope in Scope]?: (machine: Machine) => string };
  /** The key of the servers in that file. */
  readonly section: 'mcpServers' | 'servers' | 'context_servers' | 'mcp_servers';
  /** Scopes whose file may be edited. The client rewrites the other files all the time, or they are not plain JSON. */
  readonly edits: readonly Scope[];
  /** Files and folders; one that exists shows that the client is here. */
  readonly signs: (machine: Machine) => readonly string[];
  /** Returns null if the client cannot reach such a server without a key in its file. */
  readonly entry: (server: McpServer) => Entry | null;
  /** The client asks for the key and stores it: its file defines the question. */
  readonly asksForKey?: boolean;
  /** The program of the client that changes its configuration. */
  readonly program?: ClientProgram;
  /** What the user must do then. */
  readonly afterwards?: string;
}

export interface ClientProgram {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Arguments of each call. */
  readonly add: (entry: Entry, scope: Scope, exists: boolean) => readonly (readonly string[])[];
  readonly remove: (scope: Scope) => readonly string[];
  /** Prints the entry as JSON, for clients whose file is not JSON. */
  readonly show?: readonly string[];
}
