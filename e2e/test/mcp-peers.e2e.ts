import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectAiSdk } from '../mcp-peers/ai-sdk.ts';
import { type Desk, startDesk } from '../mcp-peers/desk.ts';
import { connectInspector } from '../mcp-peers/inspector.ts';
import { connectLangChain } from '../mcp-peers/langchain.ts';
import { installPeers, versionOf } from '../mcp-peers/load.ts';
import { connectMastra } from '../mcp-peers/mastra.ts';
import { type Bridge, connectMcpRemote } from '../mcp-peers/mcp-remote.ts';
import { connectV1, connectV2 } from '../mcp-peers/official.ts';
import { connectOpenAiAgents } from '../mcp-peers/openai-agents.ts';
import type { Connect, PeerSession } from '../mcp-peers/peer.ts';

/** Each client, the package that it is, and the ways in which it is used. */
const peers: readonly { readonly name: string; readonly of: string; readonly connect: Connect }[] = [
  { name: 'client v1', of: '@modelcontextprotocol/sdk', connect: connectV1 },
  { name: 'client v2, legacy', of: '@modelcontextprotocol/client', connect: connectV2('legacy') },
  { name: 'client v2, auto', of: '@modelcontextprotocol/client', connect: connectV2('auto') },
  { name: 'mcp-remote', of: 'mcp-remote', connect: bridge() },
  { name: 'mcp-remote, auto', of: 'mcp-remote', connect: bridge('--protocol', 'auto') },
  { name: 'the AI SDK', of: '@ai-sdk/mcp', connect: connectAiSdk },
  { name: 'LangChain', of: '@langchain/mcp-adapters', connect: connectLangChain },
  { name: 'OpenAI Agents', of: '@openai/agents', connect: connectOpenAiAgents },
  { name: 'Mastra', of: '@mastra/mcp', connect: connectMastra },
  { name: 'the Inspector', of: '@modelcontextprotocol/inspector', connect: connectInspector },
].map((peer) => ({ ...peer, of: `${peer.of} ${versionOf(peer.of)}` }));

function bridge(...argv: readonly string[]): Connect {
  return (url, access) => connectMcpRemote(url, { ...('key' in access && access), argv });
}

/** What somebody with the key finds, in the order of declaration: all but `assign_ticket`. */
const tools = [
  'get_tickets_by_id_summary',
  'get_tickets_by_id',
  'list_tags',
  'photo',
  'whoami',
  'echo',
  'close_ticket',
  'erase_ticket',
  'helper',
];

let desk: Desk;
beforeAll(async () => {
  installPeers();
  desk = await startDesk();
}, 300_000);
afterAll(() => desk.stop());

describe.each(peers)('$name ($of), with a key', ({ connect }) => {
  let session: PeerSession;
  beforeAll(async () => {
    session = await connect(desk.url, { key: desk.key });
  });

  it('lists the tools of its key', async () => {
    verifies('mcp.list', 'mcp.list.order', 'mcp.list.filtered-by-scopes', 'purpose.mcp.address');
    expect(await session.tools()).toEqual(tools);
  });

  it('calls a tool, in any script', async () => {
    verifies('mcp.call', 'mcp.result.string');
    const summary = await session.call('get_tickets_by_id_summary', { id: 7 });
    expect(summary).toEqual({ failed: false, text: 'a short summary of 7: 🔥 急', images: [] });
    const text = 'Grüße „aus“ 東京 – 🔥 \\ "=" 100 %';
    expect(await session.call('echo', { text })).toMatchObject({ failed: false, text });
    expect(await session.call('whoami')).toMatchObject({ failed: false, text: 'desk' });
  });

  it('calls a tool with an output schema', async () => {
    verifies('mcp.result.structured', 'mcp.result.json-text');
    const { failed, text } = await session.call('get_tickets_by_id', { id: 7 });
    expect([failed, JSON.parse(text)]).toEqual([false, { id: 7, title: 'Der Drucker brennt 🔥' }]);
    expect((await session.call('list_tags')).text).toContain('["neu","急"]');
  });

  it('gets a picture', async () => {
    verifies('mcp.result.images');
    const { failed, images } = await session.call('photo');
    expect([failed, images]).toEqual([false, [expect.stringMatching(/^iVBORw0KGgo/)]]);
  });

  it('reads why a tool failed', async () => {
    verifies('mcp.call.failure-is-result', 'error.mcp.tool-failed');
    const { failed, text } = await session.call('close_ticket', { id: 7 });
    expect(failed).toBe(true);
    expect(text).toContain('tool close_ticket failed with 409: ticket 7 is closed already');
  });

  it('reads that a tool waits for a human', async () => {
    verifies('mcp.call.approval-refused', 'error.mcp.approval');
    const { failed, text } = await session.call('erase_ticket', { id: 7 });
    expect(failed).toBe(true);
    expect(text).toContain(
      'tool "erase_ticket" requires human approval and cannot be invoked directly over MCP',
    );
  });

  it('asks an agent', async () => {
    verifies('name.declared');
    const { failed, text } = await session.call('helper', {
      input: '[[call get_tickets_by_id {"id":4}]] [[say It burns.]]',
    });
    expect([failed, JSON.parse(text)]).toMatchObject([false, { status: 'completed', output: 'It burns.' }]);
  });

  it('goes away', async () => {
    await session.close();
    expect((session as Partial<Bridge>).isRunning?.() ?? false).toBe(false);
  });
});

it('has left nothing open: the application ends as soon as it is told to', async () => {
  const told = performance.now();
  expect(await desk.stop()).toBe(0);
  expect(performance.now() - told).toBeLessThan(10_000);
});
