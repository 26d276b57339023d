import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@waymark/contract';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toClient } from '../src/index.ts';
import { deskTable, runnable } from './desk-table.ts';
import { expectClean } from './expect-clean.ts';

const desk = (): string => toClient(deskTable(), { title: 'Desk' });

describe('the runs of a client', () => {
  it('are formatted however long their names are', async () => {
    // Of every length at which a line may have to break.
    const routes = (['agent', 'behaviour', 'flow'] as const).flatMap((kind) =>
      [8, 16, 24, 28, 32, 36, 40, 44, 48, 52].flatMap((length) =>
        [`${kind}_${'x'.repeat(length)}`, `${kind}-${'y'.repeat(length)}`].flatMap((name) =>
          runnable(kind, name, `/${kind}s/${name}`, { input: { input: Type.String() } }),
        ),
      ),
    );
    await expectClean(toClient(routes, { title: 'Long' }));
  });

  it('compile under the strictest settings, are formatted, and their types hold', async () => {
    verifies('client.agents', 'client.typed');
    await expectClean(desk(), `${usage}\n${readmeUsage()}`);
  });
});

/** The programs of the README, and what they take for granted. */
function readmeUsage(): string {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
  const programs = ['Agents, behaviours and flows', 'Sockets of agents'].map((title) => {
    const [, program = ''] = new RegExp(`## ${title}[^]*?\`\`\`ts\n([^]*?)\`\`\``).exec(readme) ?? [];
    expect(program).toContain('desk.agents.support.');
    return program;
  });
  const given = 'desk: typeof client, signal: AbortSignal, show: (text: string) => void';
  return `export async function readme(${given}): Promise<void> {\n${programs.join('')}}\n`;
}

/** What users write, and what the compiler must not let them. */
const usage = `
import { type AgentClient, type AgentMessage, type AgentSocket, createClient, type RunClient, type RunEvent, SocketError, type SupportInput, type SupportOutput } from './client.ts';

const client = createClient({ baseUrl: 'https://example.com' });
const { support, 'front-desk': front } = client.agents;
const { run_id: id, status, steps } = await support.run({ input: 'Hi.', session_id: 's' }, { timeoutMs: 1_000 });
if (status === 'awaiting_approval') void (await support.answer(id)).output.length;
for await (const event of front.stream({ input: 'Hi.' }, { signal: AbortSignal.timeout(1) })) {
  if (event.type === 'step') void [event.run_id.length, event.step.kind === 'handoff', event.step.tool?.length];
  if (event.type === 'delta') void event.text?.length;
  if (event.type === 'result') void event.result.output.length;
}
for await (const event of support.follow(id, { lastSeq: steps.at(-1)?.seq })) void event.type;
const last: RunEvent<SupportOutput> | undefined = (await support.stream({ input: '' }).next()).value;
const any: RunClient<SupportInput, SupportOutput> = front as never;

const agent: AgentClient<SupportInput, SupportOutput> = support;
const chat: AgentSocket<SupportInput, SupportOutput> = agent.socket({ signal: AbortSignal.timeout(1), onState: (state, error) => void [state === 'open', error instanceof SocketError] });
const key: string = chat.send({ input: 'Hi.', session_id: 's', idempotency_key: 'k' });
chat.follow(id, { lastSeq: steps.at(-1)?.seq });
const wasThere: boolean = chat.cancel() || chat.cancel(id);
for await (const message of chat) {
  if (message.type === 'run') void [message.run_id.length, message.location?.length, message.idempotency_key === key];
  if (message.type === 'step') void message.step.seq.toFixed();
  if (message.type === 'delta') void message.text?.length;
  if (message.type === 'waiting') void message.pending_approvals?.[0]?.approval_id.length;
  if (message.type === 'result') void [message.result.output.length, message.problem?.status.toFixed()];
  if (message.type === 'error') void [message.message.length, message.status.toFixed(), message.retry_after?.toFixed()];
}
const told: AgentMessage<SupportOutput> | undefined = (await chat[Symbol.asyncIterator]().next()).value;
if (chat.state === 'open') chat.close();
createClient({ baseUrl: '', WebSocket });

const { sweep, count } = client.behaviours;
const swept = await sweep();
const closed: number | string = 'closed' in swept ? swept.closed : swept.status;
await sweep({ days: 3 }, { onProgress: ({ event }) => void event.length });
for await (const event of sweep.stream()) if (event.type === 'result') void event.result;
const counted: unknown = await count({ of: 'tickets' });
const later: unknown = await count.answer('01');

const routed = await client.flows.triage.run();
await client.flows.triage.run({ input: 'It burns.', more: [1] });
export const all = [wasThere, told, last, any, closed, counted, later, routed.output.length];

export function wrong(): void {
  // @ts-expect-error there is no such agent
  void client.agents.suport;
  // @ts-expect-error a behaviour is no agent
  void client.agents.sweep;
  // @ts-expect-error an agent is asked something
  void support.run();
  // @ts-expect-error in words
  void support.run({ input: 7 });
  // @ts-expect-error this one has no sessions
  void front.stream({ input: '', session_id: 's' });
  // @ts-expect-error a turn is what the agent takes
  chat.send({ input: 7 });
  // @ts-expect-error this agent has no sessions
  front.socket().send({ input: '', session_id: 's' });
  // @ts-expect-error a message is no event of devices
  void (told?.type === 'ready');
  // @ts-expect-error a flow has no socket
  client.flows.triage.socket();
  // @ts-expect-error nor has a behaviour
  sweep.socket();
  // @ts-expect-error a behaviour is called by itself
  void sweep.run({});
  // @ts-expect-error with what it takes
  void count();
  // @ts-expect-error a place is a number
  support.follow(id, { lastSeq: 'x' });
}
`;
