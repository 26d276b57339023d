import type { LoadRequest } from '../lib/load.ts';

/** Where every server answers. */
export const path = '/_svc/mcp';

/** The secret of the caller, where there is one. */
export const key = 'the-key-of-the-benchmark';

/** What is sent as the argument, and comes back. */
const text = 'Lorem ipsum dolor sit amet, consectetur adipisici elit.';

const headers = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
};

/** A family of revisions, and a call of the tool `echo` as its clients send it. */
export interface Wire {
  readonly name: 'initialize' | 'discover';
  readonly request: LoadRequest;
}

/** Both: the one that opens with `initialize`, and the one that says everything in each request. */
export const wires: readonly Wire[] = [
  { name: 'initialize', request: callOf({ 'mcp-protocol-version': '2025-11-25' }) },
  {
    name: 'discover',
    request: callOf(
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' },
      {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    ),
  },
];

function callOf(more: Readonly<Record<string, string>>, meta?: object): LoadRequest {
  const params = { name: 'echo', arguments: { text }, ...(meta && { _meta: meta }) };
  return {
    method: 'POST',
    path,
    headers: { ...headers, ...more },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  };
}

/** The same request, from the caller with the key. */
export function withKey(request: LoadRequest): LoadRequest {
  return { ...request, headers: { ...request.headers, 'x-api-key': key } };
}

/** Asks one server once. @throws {Error} when it does not answer with the text that was sent */
export async function answerOf(url: string, request: LoadRequest): Promise<string> {
  const { method = 'GET', headers: sent = {}, body = '' } = request;
  const response = await fetch(new URL(path, url), { method, headers: sent, body });
  // The SDKs may answer with an event stream of one event.
  const answer = (await response.text()).replace(/^event: message\n(?:id: .*\n)?data: /, '');
  const { result } = JSON.parse(answer) as { result?: { structuredContent?: unknown } };
  if (JSON.stringify(result?.structuredContent) !== JSON.stringify({ text }))
    throw new Error(`${url} answered ${response.status} ${answer}`);
  return answer;
}
