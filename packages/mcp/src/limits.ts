import type { LimitInForce } from '@waymark/contract/declaring';
import { maxBatchMessages, maxCalled, maxListed } from './protocol/batch.ts';
import { maxIdLength } from './protocol/envelope.ts';
import { maxArgumentLevels } from './protocol/parse-message.ts';
import { maxTokenLength } from './tools/progress.ts';

/** Limits of the MCP endpoint, for the security report. */
export const mcpLimits: readonly LimitInForce[] = [
  { name: 'mcp_batch', value: maxBatchMessages, unit: 'messages', note: 'each charged as a request' },
  { name: 'mcp_batch_lists', value: maxListed, unit: 'characters', note: 'listings in one batch' },
  { name: 'mcp_batch_results', value: maxCalled, unit: 'characters', note: 'results of tools in one batch' },
  { name: 'mcp_arguments_depth', value: maxArgumentLevels, unit: 'levels' },
  { name: 'mcp_id', value: maxIdLength, unit: 'characters' },
  { name: 'mcp_progress_token', value: maxTokenLength, unit: 'characters' },
];
