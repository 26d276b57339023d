import { randomUUID } from 'node:crypto';
import { type AgentMessage, connectAgents, ProblemError } from '@waymark/client-gen/runtime';
import { nearest } from '@waymark/contract/declaring';
import { findKey, howToShowKey } from '../call/find-key.ts';
import { openTarget, type Target } from '../call/target.ts';
import { Chat, type ChatResult, type ChatTurn } from '../chat/chat.ts';
import { TypedLines } from '../chat/lines.ts';
import { Screen } from '../chat/screen.ts';
import { sendDecision } from '../chat/send-decision.ts';
import { loadEnvironment } from '../load/load-application.ts';
import { Failure } from '../output/failure.ts';
import { exitCodes } from '../output/print-failure.ts';
import { toScreenText } from '../output/to-screen-text.ts';
import { command, jsonOption } from './command.ts';

/** `waymark chat`: a conversation with an agent of a running server, or of a file, in the terminal. */
export const chat = command(
  {
    meta: {
      name: 'chat',
      description: 'Talk to an agent: text as it comes, tools as they are called, and what waits for a human',
    },
    args: {
      agent: {
        type: 'positional',
        required: true,
        description: 'Name of the agent, or the path of its route',
      },
      as: {
        type: 'string',
        description: 'Whose key: reader is in READER_KEY, of the environment or .waymark/dev.env; or the key',
        valueHint: 'reader',
      },
      session: {
        type: 'string',
        description: 'Go on with the conversation of this id; a new one by default',
      },
      url: { type: 'string', description: 'Server to ask', valueHint: 'http://127.0.0.1:8000' },
      file: {
        type: 'string',
        description: 'Application that has the agent; started for this talk unless --url is given',
        valueHint: 'application.ts',
      },
      'control-prefix': {
        type: 'string',
        description: 'Of the server',
        valueHint: '/_svc',
        default: '/_svc',
      },
      json: { ...jsonOption.json, description: 'Print each message as a line of JSON, for programs' },
    },
    async run({ args }) {
      loadEnvironment(args.file);
      const headers = findKey(args.as, args.file);
      const target = await openTarget({ ...args, controlPrefix: args['control-prefix'], headers });
      try {
        return await talk(target, await findPath(target, args.agent), { ...args, headers });
      } finally {
        await target.close();
      }
    },
  },
  {
    examples: [
      'chat support --as operator',
      `chat support --as operator --url https://desk.example.com --session tuesday`,
      'chat support --as operator --file application.ts < questions.txt',
    ],
  },
);

interface TalkOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly session?: string | undefined;
  readonly json: boolean;
}

async function talk(target: Target, path: string, { headers, session, json }: TalkOptions): Promise<number> {
  const screen = new Screen(process.stdout);
  const connect = connectAgents({
    baseUrl: target.url,
    apiKey: headers['x-api-key'],
    token: headers['authorization']?.replace('Bearer ', ''),
    WebSocket: globalThis.WebSocket ?? (await import('@waymark/http')).WebSocketClient,
  });
  let isLost = false;
  const tell = (text: string): void =>
    lines.aside(() => {
      if (lines.interactive) screen.endLine();
      console.error(toScreenText(text));
    });
  const socket = connect<ChatTurn, ChatResult>(path, 0).socket({
    onState: (state, error) => {
      if (state === 'waiting' && !isLost) tell(`the connection broke (${error?.message}); trying again…`);
      if (state === 'open' && isLost) tell('connected again');
      isLost = state === 'waiting' || (isLost && state !== 'open');
    },
  });
  const print = (message: AgentMessage<ChatResult>): void => console.log(JSON.stringify(message));
  const lines = new TypedLines(process.stdin, process.stdout, () => {
    if (!conversation.interrupt()) lines.close();
  });
  const conversation = new Chat({
    ...{ socket, screen, lines, sessionId: session ?? randomUUID() },
    title: `${path} at ${target.url}`,
    decide: (id, approve, note) => sendDecision(target, id, { approve, note }),
    ...(json && { observe: print }),
  });
  try {
    return (await conversation.run()) ? 0 : exitCodes.failure;
  } catch (error) {
    throw new Failure(toReason(error), { cause: error });
  } finally {
    socket.close();
    lines.close();
  }
}

function toReason(error: unknown): string {
  if (error instanceof ProblemError && error.status === 401) return `${error.message}; ${howToShowKey}`;
  return error instanceof Error ? error.message : String(error);
}

/** Where the agent is: as the server lists it, for a key that may see that; else where agents are by default. */
async function findPath(target: Target, agent: string): Promise<string> {
  if (agent.startsWith('/')) return agent;
  const rows = await listAgents(target);
  const row = rows?.find(({ name }) => name === agent);
  const path = row?.expose_at ?? `/agents/${agent.replaceAll('_', '-')}`;
  if (row) return path;
  const response = await target.send(path);
  if (!rows && response.status !== 404) return path;
  const names = rows?.map(({ name }) => name) ?? [];
  const like = nearest(agent, names);
  const known = like === undefined ? names.join(', ') : `did you mean ${like}?`;
  throw new Failure(
    `there is no agent "${agent}"${known === '' ? '' : `; ${rows && like === undefined ? 'there are ' : ''}${known}`}`,
  );
}

interface AgentRow {
  readonly name: string;
  readonly expose_at: string;
}

async function listAgents(target: Target): Promise<readonly AgentRow[] | undefined> {
  try {
    return ((await target.describe('/agents')) as { readonly agents: readonly AgentRow[] }).agents;
  } catch (error) {
    // The key may not see it. A server that is not there says so once more.
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
