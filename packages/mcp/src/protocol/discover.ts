import type { McpOptions } from '../mcp.ts';
import { cacheHints } from '../tools/tool-catalogue.ts';
import type { Method } from './methods.ts';
import { revisions } from './revisions.ts';

/** Says what this server is and which revisions it serves. The same for everybody, so it is written once. */
export function discover({ info, cacheScope = 'private' }: McpOptions): Method {
  const text = JSON.stringify({
    supportedVersions: revisions,
    capabilities: { tools: {} },
    ...(info.instructions && { instructions: info.instructions }),
    ...cacheHints(cacheScope),
  });
  return () => text;
}
