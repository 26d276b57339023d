import type { Message, ModelRequest, Part } from '@waymark/contract/models';
import { verifies } from '@waymark/contract/testing';
import { type Simulator, startSimulator } from '@waymark/model-simulator';
import { createModels, type Models, provider } from '@waymark/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTypes, type TypedBody } from '../model-peers/check-types.ts';
import { loadClients } from '../model-peers/load-clients.ts';

/** What the official client of Messages puts into its version header. From it on, there is no `temperature`. */
const versionOfClient = '2026-10-21';

/** Our providers by what they speak: a client's format, and one that it has left behind in one point. */
const providers = {
  openai: 'openai',
  dated: 'anthropic, in the version of its client',
  anthropic: 'anthropic, in the version before',
} as const;
type ProviderName = keyof typeof providers;

const tools = [
  {
    name: 'get_ticket',
    description: 'Reads one ticket.',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'integer' } },
      required: ['id'],
      additionalProperties: false,
    },
  },
  { name: 'add_note', description: 'Adds a note.', inputSchema: { type: 'object' } },
];
const mood = {
  type: 'object',
  properties: { mood: { type: 'string', enum: ['good', 'bad'] } },
  required: ['mood'],
  additionalProperties: false,
};
const png: Part = {
  type: 'image',
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==',
};

const text = (said: string): Part => ({ type: 'text', text: said });
const system: Message = { role: 'system', parts: [text('You are a desk.'), text('Be kind.')] };
const user = (...parts: readonly Part[]): Message => ({ role: 'user', parts });
const assistant = (...parts: readonly Part[]): Message => ({ role: 'assistant', parts });
const call = (id: string, name: string, values: object): Part => ({
  type: 'tool_call',
  id,
  name,
  // JSON by its literals.
  arguments: values as Extract<Part, { type: 'tool_call' }>['arguments'],
});
const result = (id: string, isError: boolean, ...parts: readonly Part[]): Part => ({
  type: 'tool_result',
  id,
  parts,
  isError,
});

const conversations: Readonly<Record<string, readonly Message[]>> = {
  text: [user(text('Hello.'))],
  system: [system, user(text('Hello.'), text('Again.'))],
  turns: [user(text('Hello.')), assistant(text('Hi.')), { ...system }, user(text('More.'))],
  images: [system, user(text('What is it?'), png, png)],
  results: [
    user(text('Look.')),
    assistant(text('I do.'), call('c1', 'get_ticket', { id: 1 }), call('c2', 'add_note', {})),
    { role: 'user', parts: [result('c1', false, text('{"id":1}'), png), result('c2', true, text('no'))] },
  ],
  'empty results': [
    user(text('Look.')),
    assistant(call('c1', 'get_ticket', { id: 1 })),
    { role: 'user', parts: [result('c1', false), text('And?')] },
  ],
};

const choices: readonly ModelRequest['toolChoice'][] = [
  undefined,
  'auto',
  'none',
  'required',
  { tool: 'get_ticket' },
];
const answers: readonly Partial<ModelRequest>[] = [
  ...choices.map((toolChoice) => ({ tools, ...(toolChoice !== undefined && { toolChoice }) })),
  {},
  { schema: mood },
  { schema: mood, tools },
  { schema: { type: 'array', items: { type: 'integer' } } },
  // A schema that cannot be closed, so that Messages gets a tool instead.
  { schema: { type: 'object', additionalProperties: { type: 'integer' } } },
];
const settings: readonly (Partial<ModelRequest> & { readonly streamed?: boolean })[] = [
  {},
  { temperature: 0.5 },
  { cache: false },
  { streamed: true },
  { streamed: true, cache: false, temperature: 0 },
  { maxTokens: 16_000 },
];

const refusals = ['refuse_temperature', 'refuse_tool_images'];
const refusalsOfChat = ['refuse_max_tokens', 'refuse_tool_choice_object'];

let simulator: Simulator;
let models: Models;

beforeAll(async () => {
  await loadClients();
  simulator = await startSimulator({ maxRequests: 5000 });
  models = createModels(
    [
      provider('anthropic', simulator.url, { kind: 'anthropic', apiKeyEnv: 'KEY' }),
      provider('dated', simulator.url, {
        kind: 'anthropic',
        apiKeyEnv: 'KEY',
        anthropicVersion: versionOfClient,
      }),
      provider('openai', `${simulator.url}/v1`, { apiKeyEnv: 'KEY' }),
    ],
    { env: () => 'a-key' },
  );
}, 300_000);

afterAll(async () => {
  models.close();
  await simulator.close();
});

/** What was sent since the last time. */
function takeBodies(): readonly TypedBody[] {
  const { requests } = simulator;
  const bodies = requests.flatMap(({ format, body }) => (format ? [{ type: format, body }] : []));
  expect(bodies).toHaveLength(requests.length);
  simulator.reset();
  return bodies;
}

function ask(
  name: ProviderName,
  { streamed = false, ...request }: Partial<ModelRequest> & { readonly streamed?: boolean },
) {
  return models.client.complete(
    { model: `${name}/sim`, messages: [user(text('Hello.'))], maxTokens: 1000, ...request },
    { signal: AbortSignal.timeout(30_000), ...(streamed && { onDelta: () => {}, onRestart: () => {} }) },
  );
}

/** The bodies that are not what the client takes, with what the compiler says of each. */
function disagreements(bodies: readonly TypedBody[]): readonly unknown[] {
  return [...checkTypes(bodies)].map(([i, errors]) => ({ errors, sent: bodies[i] }));
}

/** What a version before that of the client has more. */
function withoutTemperature({ type, body }: TypedBody): TypedBody {
  return { type, body: { ...(body as object), temperature: undefined } };
}

/** What was sent since the last time to one of them, as the types of its client may be asked for it. */
function takeComparable(name: ProviderName): readonly TypedBody[] {
  const bodies = takeBodies();
  return name === 'anthropic' ? bodies.map(withoutTemperature) : bodies;
}

// The compiler is asked once for all providers: most of its time goes into the types themselves.
describe(`a request to ${Object.values(providers).join('; to ')}`, () => {
  const names = Object.keys(providers) as ProviderName[];
  const results = conversations['results'] ?? [];

  it('is one that the official client would take, in whatever combination', async () => {
    verifies('model.format.openai', 'model.format.anthropic');
    const all: TypedBody[] = [];
    for (const name of names) {
      for (const messages of Object.values(conversations))
        for (const answer of answers)
          for (const setting of settings) await ask(name, { messages, ...answer, ...setting });
      const bodies = takeComparable(name);
      expect(bodies.length).toBeGreaterThanOrEqual(6 * 10 * 6);
      all.push(...bodies);
    }
    expect(disagreements(all)).toEqual([]);
  });

  it('is so when something is asked for once more, or without what a server refuses', async () => {
    const invalid = '[[say no JSON]] [[json {"mood":"good"}]]';
    const all: TypedBody[] = [];
    for (const name of names) {
      await ask(name, { messages: [user(text(invalid))], schema: mood });
      const quirks = name === 'openai' ? [...refusals, ...refusalsOfChat] : refusals;
      for (const quirk of quirks)
        await ask(name, {
          messages: [user(text(`[[quirk ${quirk}]] [[call get_ticket {"id":1}]]`)), ...results.slice(1)],
          temperature: 1,
          tools,
          toolChoice: { tool: 'get_ticket' },
        });
      await ask(name, {
        messages: [user(text('[[quirk refuse_response_format]] [[json {"mood":"good"}]]'))],
        schema: mood,
      });
      const bodies = takeComparable(name);
      expect(bodies.length).toBeGreaterThan(quirks.length + 2);
      all.push(...bodies);
    }
    expect(disagreements(all)).toEqual([]);
  });

  it('would not pass with anything in it that the client does not take', async () => {
    const all: { readonly body: TypedBody; readonly isGood: boolean }[] = [];
    for (const name of names) {
      await ask(name, { messages: results, tools, toolChoice: { tool: 'get_ticket' } });
      const [sent] = takeBodies();
      const good = sent?.body as object;
      const spoiled: readonly object[] = [
        { ...good, max_tokens: '1000' },
        { ...good, temprature: 1 },
        { ...good, messages: [{ role: 'nobody', content: 'Hello.' }] },
        { ...good, messages: [{ role: 'user', content: [{ type: 'text', txt: 'Hello.' }] }] },
        { ...good, tool_choice: { type: 'tool' } },
        { ...good, tools: [{ name: 1 }] },
        { ...good, stream: 'yes' },
        { ...good, model: undefined },
      ];
      const type = sent?.type ?? 'openai';
      for (const body of [good, ...spoiled, good]) all.push({ body: { type, body }, isGood: body === good });
    }
    const errors = checkTypes(all.map(({ body }) => body));
    expect(all.map((_, i) => !errors.has(i))).toEqual(all.map(({ isGood }) => isGood));
  });
});

describe('a request to a model of Messages', () => {
  it('is one that the official client would take with the signed thoughts of a model in it', async () => {
    const first = await ask('anthropic', {
      messages: [user(text('[[thinking Hm.]] & [[call get_ticket {"id":1}]]'))],
      tools,
    });
    const [{ id } = { id: '' }] = first.message.parts.filter((part) => part.type === 'tool_call');
    await ask('anthropic', {
      messages: [
        user(text('[[thinking Hm.]] & [[call get_ticket {"id":1}]]')),
        first.message,
        { role: 'user', parts: [result(id, false, text('{}'))] },
      ],
      tools,
    });
    const bodies = takeBodies();
    expect(JSON.stringify(bodies.at(-1))).toContain('"type":"thinking"');
    expect(disagreements(bodies)).toEqual([]);
  });
});
