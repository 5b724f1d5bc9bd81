import { explainTool } from './explain.ts';
import { getTool } from './get.ts';
import { listTool } from './list.ts';
import { searchLogTool, searchSyncsTool } from './logs.ts';
import { metricsTool } from './metrics.ts';
import { personTool } from './person.ts';
import { doctorTool, statusTool } from './status.ts';
import type { Tool } from './tool.ts';

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
