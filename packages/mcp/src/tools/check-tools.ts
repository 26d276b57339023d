import { type Problem, type Route, type RouteTable, toTool } from '@waymark/contract';
import type { RuleBook } from '@waymark/contract/declaring';
import { parameterHeaders } from './parameter-headers.ts';

/** Rules of routes that are tools, beyond those of every route, by the `code` that a problem carries. */
export const toolRules = {
  'tool-header':
    'A parameter marked `x-mcp-header` is a string, an integer or a boolean and names a header of its own.',
  'tool-name-length':
    'Tool names have at most 40 characters: clients put a prefix before them, and models take 64.',
  'tool-list-size':
    'The list of all tools fits into about 25,000 tokens, since models read it before anything else.',
} as const satisfies RuleBook;

/** Longer names may be cut by clients. */
const maxNameLength = 40;
const maxListTokens = 25_000;
/** English and JSON alike. */
const charactersPerToken = 4;

/**
 * Lists the problems of the tools of a table: wrong `x-mcp-header` marks, and as warnings names over 40 characters and a
 * list of all tools over about 25,000 tokens.
 */
export function checkTools(table: Pick<RouteTable, 'tools'>): readonly Problem[] {
  const tools = table.tools();
  return [...tools.flatMap((route) => [...checkHeaders(route), ...checkName(route)]), ...checkSize(tools)];
}

function checkHeaders(route: Route): readonly Problem[] {
  const { faults } = parameterHeaders(route.inputSchema);
  return faults.map((rule) => ({ code: 'tool-header', ...declared(route), rule }));
}

function checkName(route: Route): readonly Problem[] {
  const { length } = route.name;
  if (length <= maxNameLength) return [];
  const rule = `the tool name "${route.name}" has ${length} characters; clients put a prefix before it, and models take 64`;
  const fix = `set toolName to at most ${maxNameLength} characters`;
  return [{ code: 'tool-name-length', severity: 'warning', ...declared(route), rule, fix }];
}

function checkSize(tools: readonly Route[]): readonly Problem[] {
  // One with a fault in it may not even be writable as JSON; nobody lists it.
  const sound = tools.filter(({ problems }) => problems.length === 0);
  const characters = sound.reduce((sum, route) => sum + JSON.stringify(toTool(route)).length, 0);
  const tokens = Math.round(characters / charactersPerToken);
  if (tokens <= maxListTokens) return [];
  const rule = `the list of its ${tools.length} tools takes a model about ${tokens} tokens to read`;
  const fix =
    'make fewer routes tools, give callers scopes for what they need, or connect clients to /mcp?tools=…';
  return [{ code: 'tool-list-size', severity: 'warning', declaration: 'application', rule, fix }];
}

function declared({ method, path, declaredAt }: Route): Pick<Problem, 'declaration' | 'at'> {
  return { declaration: `route ${method} ${path}`, at: declaredAt };
}
