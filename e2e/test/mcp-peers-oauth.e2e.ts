import { auth as authV2 } from '@modelcontextprotocol/client';
import { auth as authV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { verifies } from '@waymark/contract/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { connectAiSdk } from '../mcp-peers/ai-sdk.ts';
import { visit } from '../mcp-peers/browser.ts';
import { type Desk, startDesk } from '../mcp-peers/desk.ts';
import { connectLangChain } from '../mcp-peers/langchain.ts';
import { installPeers, load, versionOf } from '../mcp-peers/load.ts';
import { connectMastra } from '../mcp-peers/mastra.ts';
import { connectMcpRemote } from '../mcp-peers/mcp-remote.ts';
import { connectV1, connectV2 } from '../mcp-peers/official.ts';
import { connectOpenAiAgents } from '../mcp-peers/openai-agents.ts';
import type { Connect, PeerSession } from '../mcp-peers/peer.ts';
import { createSignIn } from '../mcp-peers/sign-in.ts';

type SignIn = Awaited<ReturnType<typeof createSignIn>>;

/** Exchanges what the browser came back with for a token, in the way of one generation of clients. */
type Finish = (provider: SignIn['provider'], serverUrl: URL, back: URLSearchParams) => Promise<unknown>;

const codeOf = (back: URLSearchParams): string => back.get('code') ?? '';
const finishV1: Finish = (provider, serverUrl, back) =>
  authV1(provider, { serverUrl, authorizationCode: codeOf(back) });
const finishV2: Finish = (provider, serverUrl, back) =>
  authV2(provider, { serverUrl, authorizationCode: codeOf(back), iss: back.get('iss') ?? '' });
const finishAiSdk: Finish = async (provider, serverUrl, back) => {
  const { auth } = await load<{ auth(provider: object, options: object): Promise<unknown> }>('@ai-sdk/mcp');
  const callbackIssuer = back.get('iss') ?? '';
  return auth(provider, { serverUrl, authorizationCode: codeOf(back), callbackIssuer });
};

/** Clients that leave the browser to the program they are part of. */
const peers = [
  { name: 'client v1', of: '@modelcontextprotocol/sdk', connect: connectV1, finish: finishV1 },
  {
    name: 'client v2, legacy',
    of: '@modelcontextprotocol/client',
    connect: connectV2('legacy'),
    finish: finishV2,
  },
  {
    name: 'client v2, auto',
    of: '@modelcontextprotocol/client',
    connect: connectV2('auto'),
    finish: finishV2,
  },
  { name: 'the AI SDK', of: '@ai-sdk/mcp', connect: connectAiSdk, finish: finishAiSdk },
  { name: 'LangChain', of: '@langchain/mcp-adapters', connect: connectLangChain, finish: finishV1 },
  { name: 'OpenAI Agents', of: '@openai/agents', connect: connectOpenAiAgents, finish: finishV2 },
  { name: 'Mastra', of: '@mastra/mcp', connect: connectMastra, finish: finishV2 },
].map((peer) => ({ ...peer, of: `${peer.of} ${versionOf(peer.of)}` }));

/** What the door and the tools ask for, in the order of declaration. */
const allScopes = ['mcp', 'tickets:read', 'tickets:write', 'tickets:assign'];

/** What the authorization server was asked for last. Some ask it for more: to stay signed in. */
function lastAskedFor(): readonly string[] {
  const scopes = desk.askedFor().at(-1)?.split(' ') ?? [];
  return allScopes.filter((scope) => scopes.includes(scope));
}

const tools = [
  'get_tickets_by_id_summary',
  'get_tickets_by_id',
  'list_tags',
  'photo',
  'whoami',
  'echo',
  'close_ticket',
  'erase_ticket',
  'assign_ticket',
  'helper',
];

let desk: Desk;
beforeAll(async () => {
  installPeers();
  desk = await startDesk();
}, 300_000);
afterAll(() => desk.stop());

/** Somebody at a browser, who agrees to what they are asked for, but the first time perhaps to less. */
function atBrowser(agreed?: string): (page: URL) => Promise<void> {
  let less = agreed;
  return async (page) => {
    if (less !== undefined) page.searchParams.set('scope', less);
    less = undefined;
    expect(await visit(page)).toBe(200);
  };
}

async function person(agreed?: string): Promise<SignIn> {
  const signIn = await createSignIn(atBrowser(agreed));
  onTestFinished(signIn.close);
  return signIn;
}

/** Tries, is sent to sign in, and tries again. */
async function signedIn<Result>(use: () => Promise<Result>, finish: Finish, signIn: SignIn): Promise<Result> {
  const before = desk.askedFor().length;
  try {
    return await use();
  } catch (error) {
    if (desk.askedFor().length === before) throw error;
    await finish(signIn.provider, desk.url, await signIn.callback());
    return use();
  }
}

const open = (connect: Connect, finish: Finish, signIn: SignIn): Promise<PeerSession> =>
  signedIn(
    async () => {
      const session = await connect(desk.url, { authProvider: signIn.provider });
      onTestFinished(() => session.close());
      return session;
    },
    finish,
    signIn,
  );

describe.each(peers)('$name ($of), for a person who signs in', ({ connect, finish }) => {
  it('asks for what the tools need, and uses all of them', async () => {
    verifies('mcp.auth.challenge', 'mcp.auth.metadata', 'mcp.auth.scopes');
    const session = await open(connect, finish, await person());
    expect(lastAskedFor()).toEqual(allScopes);
    expect(await session.tools()).toEqual(tools);
    expect(await session.call('whoami')).toMatchObject({ failed: false, text: 'ann' });
    const assigned = await session.call('assign_ticket', { id: 7, owner: 'bo' });
    expect(assigned).toMatchObject({ failed: false, text: 'ticket 7 belongs to bo' });
    expect((await session.call('erase_ticket', { id: 7 })).text).toContain('requires human approval');
  });

  it('finds the tools that the person agreed to', async () => {
    verifies('mcp.list.filtered-by-scopes');
    const session = await open(connect, finish, await person('mcp tickets:read'));
    const needMore = ['close_ticket', 'erase_ticket', 'assign_ticket'];
    expect(await session.tools()).toEqual(tools.filter((name) => !needMore.includes(name)));
    expect(await session.call('get_tickets_by_id', { id: 7 })).toMatchObject({ failed: false });
  });
});

describe.each(peers)('$name ($of), with a key as its bearer', ({ connect }) => {
  it('finds and uses the tools of the key', async () => {
    verifies('authority.key.bearer');
    const session = await connect(desk.url, { bearer: desk.key });
    onTestFinished(() => session.close());
    expect(await session.tools()).toEqual(tools.filter((name) => name !== 'assign_ticket'));
    expect(await session.call('whoami')).toMatchObject({ failed: false, text: 'desk' });
  });
});

// The others only use tools that they have listed, or know no step-up.
describe.each(peers.slice(0, 3))('$name ($of), in need of more', ({ connect, finish }) => {
  it('has the person agree to it, and calls again', async () => {
    verifies('mcp.auth.step-up');
    const signIn = await person('mcp tickets:read');
    const session = await open(connect, finish, signIn);
    const assign = () => session.call('assign_ticket', { id: 7, owner: 'bo' });
    const assigned = await signedIn(assign, finish, signIn);
    expect(assigned).toMatchObject({ failed: false, text: 'ticket 7 belongs to bo' });
    expect(lastAskedFor()).toEqual(['mcp', 'tickets:read', 'tickets:assign']);
  });
});

describe.each(['legacy', 'auto'])(`mcp-remote (${versionOf('mcp-remote')}), %s`, (protocol) => {
  it('signs a person in with their browser, for a host that knows nothing of it', async () => {
    verifies('mcp.auth.challenge', 'mcp.auth.metadata', 'mcp.auth.scopes');
    const bridge = await connectMcpRemote(desk.url, { argv: ['--protocol', protocol] });
    onTestFinished(() => bridge.close());
    expect(lastAskedFor()).toEqual(allScopes);
    expect(await bridge.tools()).toEqual(tools);
    expect(await bridge.call('whoami')).toMatchObject({ failed: false, text: 'ann' });
    const assigned = await bridge.call('assign_ticket', { id: 7, owner: 'bo' });
    expect(assigned).toMatchObject({ failed: false, text: 'ticket 7 belongs to bo' });
  });

  it('has them agree to more when a tool needs it', async () => {
    verifies('mcp.auth.step-up');
    const bridge = await connectMcpRemote(desk.url, {
      argv: ['--protocol', protocol],
      browse: atBrowser('mcp tickets:read'),
    });
    onTestFinished(() => bridge.close());
    expect(await bridge.tools()).not.toContain('assign_ticket');
    const assigned = await bridge.call('assign_ticket', { id: 7, owner: 'bo' });
    expect(assigned).toMatchObject({ failed: false, text: 'ticket 7 belongs to bo' });
  });
});
