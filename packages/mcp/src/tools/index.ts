import { blocklistTool } from './blocklist.ts';
import { explainTool } from './explain.ts';
import { getTool } from './get.ts';
import { listTool } from './list.ts';
import { searchLogTool, searchSyncsTool } from './logs.ts';
import { metricsTool } from './metrics.ts';
import { personTool } from './person.ts';
import { replayTool } from './replay.ts';
import { retryTool } from './retry.ts';
import { doctorTool, statusTool } from './status.ts';
import type { Tool } from './tool.ts';
import { webhookTool } from './webhook.ts';

/** In the order in which clients list them. */
export const READ_TOOLS: readonly Tool[] = [
  statusTool,
  explainTool,
  personTool,
  searchSyncsTool,
  searchLogTool,
  getTool,
  listTool,
  metricsTool,
  doctorTool,
];

/** For keys with the scope write. */
export const WRITE_TOOLS: readonly Tool[] = [retryTool, replayTool, blocklistTool];

/** For such keys that may manage webhooks. */
export const WEBHOOK_TOOLS: readonly Tool[] = [webhookTool];
