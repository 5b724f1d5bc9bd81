/** MCP clients of both eras of the protocol, connected to the tools without a socket. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createMock, type Mock } from '@svc/mock';
import { createClient } from '@svc/sdk';
import { createPlanBook } from '../../src/answers/plan-book.ts';
import { createServerFactory, type McpOptions } from '../../src/server.ts';

/** The time of the mock's clock, within the demo world's logs. */
const NOW = '2026-01-15T12:00:00.000Z';
const INFO = { name: 'test', version: '1.0.0' };

/** The part of both clients that tests use. */
export interface TestClient {
  readonly tools: () => Promise<readonly { readonly name: string; readonly description?: string | undefined }[]>;
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<ToolResult>;
}

export interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
  /** Structured content. */
  readonly data: Record<string, unknown>;
  readonly bytes: number;
}

export interface Bench {
  readonly mock: Mock;
  /** `operationId`s that the API was called with since the last look. */
  readonly takeCalls: () => string[];
  readonly errors: unknown[];
  /** Moves the clock of the tools. */
  readonly advance: (ms: number) => void;
  readonly modern: TestClient;
  readonly legacy: TestClient;
}

export interface BenchOptions extends Partial<McpOptions> {
  /** Name of a key of the demo world. Default: one that reads. */
  readonly key?: string;
  readonly allowsWrites?: boolean;
  /** Who may use the plans. */
  readonly principal?: string;
  /** The reply of the user whom the modern client asks. Default: it cannot ask. */
  readonly askUser?: (message: string) => {
    readonly action: 'accept' | 'decline';
    readonly content?: { confirm: boolean };
  };
}

const SECRET = Buffer.alloc(32, 1);

export async function startBench(options: BenchOptions = {}): Promise<Bench> {
  const mock = createMock({ now: NOW });
  const errors: unknown[] = [];
  let nowMs = Date.parse(NOW);
  const now = () => nowMs;
  const { key = 'osapi_demo_read', allowsWrites = false, principal = 'test', askUser, ...given } = options;
  const api = createClient({
    baseUrl: 'https://api.example.com',
    apiKey: mock.keys[key],
    fetch: mock.fetch,
    maxRetries: 0,
    maxRetryAfterMs: 0,
  });
  const writes = {
    readKey: async () => (await api.me.get()).apiKey,
    plans: createPlanBook({ secret: SECRET, principal, used: new Map(), now }),
  };
  const factory = createServerFactory({
    client: api,
    version: '0.0.0',
    hidesText: false,
    now,
    createMark: () => '0badcafe',
    writes: allowsWrites ? writes : undefined,
    onError: (error) => errors.push(error),
    ...given,
  });
  const handler = createMcpHandler(factory, { onerror: (error) => errors.push(error) });
  const fetch = (input: string | URL | Request, init?: RequestInit) => handler.fetch(new Request(input, init));
  const url = new URL('https://mcp.example.com/mcp');

  const modern = new Client(INFO, {
    versionNegotiation: { mode: { pin: '2026-07-28' } },
    capabilities: askUser === undefined ? {} : { elicitation: { form: {} } },
  });
  if (askUser !== undefined) {
    modern.setRequestHandler('elicitation/create', async ({ params }) => ({ ...askUser(params.message) }));
  }
  await modern.connect(new StreamableHTTPClientTransport(url, { fetch }));
  const legacy = new LegacyClient(INFO);
  // Its types do not allow for `exactOptionalPropertyTypes`.
  await legacy.connect(new LegacyTransport(url, { fetch }) as unknown as Parameters<typeof legacy.connect>[0]);
  return {
    mock,
    errors,
    advance: (ms) => (nowMs += ms),
    takeCalls: () => {
      const calls = mock.journal.all().map(({ operationId }) => String(operationId));
      mock.journal.clear();
      return calls;
    },
    modern: wrap(modern),
    legacy: wrap(legacy),
  };
}

function wrap(client: {
  listTools(): Promise<{ tools: { name: string; description?: string | undefined }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}): TestClient {
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => {
      const result = (await client.callTool({ name, arguments: args })) as {
        readonly isError?: boolean;
        readonly content: readonly { readonly text: string }[];
        readonly structuredContent?: Record<string, unknown>;
      };
      const { content, structuredContent = {} } = result;
      const bytes = Buffer.byteLength(JSON.stringify(content)) + Buffer.byteLength(JSON.stringify(structuredContent));
      return {
        isError: result.isError === true,
        text: content.map(({ text }) => text).join('\n'),
        data: structuredContent,
        bytes,
      };
    },
  };
}
