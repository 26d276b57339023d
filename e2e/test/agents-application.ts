import { type Simulator, type SimulatorOptions, startSimulator } from '@waymark/model-simulator';
import { type Application, type ApplicationOptions, createApplication } from '@waymark/server';
import { onTestFinished } from 'vitest';

/** Who calls, by the name of the variable that holds the secret. */
export const callers = {
  ANN_KEY: 'ann-secret-of-more-than-16-bytes',
  BEN_KEY: 'ben-secret-of-more-than-16-bytes',
  CAT_KEY: 'cat-secret-of-more-than-16-bytes',
} as const;

/** What tokens are signed with. */
export const tokenSecret = 'a-secret-of-more-than-32-bytes-for-tokens';

/** What ann and ben may do. */
export const scopes = ['read', 'write', 'svc:admin', 'devices:read', 'devices:ingest'];

/** What cat may do. */
export const fewScopes = ['read', 'devices:read'];

/** One of them. */
export type Caller = keyof typeof callers;

/** What of an envelope these tests look at. */
export interface Envelope {
  readonly run_id: string;
  readonly status: string;
  readonly output: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly path: readonly string[];
  readonly steps: readonly { readonly kind: string; readonly [member: string]: unknown }[];
  readonly usage: { readonly [member: string]: number | null };
  readonly pending_approvals?: readonly { readonly approval_id: string; readonly tool: string }[];
}

/** An answer as it was sent. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly value: Envelope;
}

/** A whole application whose agents ask a simulator over HTTP. */
export interface ThinkingApplication {
  readonly url: string;
  readonly simulator: Simulator;
  /** GET, or POST with a body. */
  send(path: string, body?: unknown, caller?: Caller, headers?: object): Promise<Answered>;
  /** One turn of an agent. */
  ask(agent: string, input: string | object, caller?: Caller): Promise<Answered>;
  close(): Promise<void>;
}

/** Of the application, and in which format it speaks to its models. */
export interface ThinkingOptions extends ApplicationOptions {
  readonly format?: 'anthropic' | 'openai';
  /** What the models do; by default what the prompts say. */
  readonly script?: SimulatorOptions['script'];
}

/** The same as `startThinking`, until the test is over or somebody closes it. */
export async function thinking(
  declare: (app: Application) => void,
  options?: ThinkingOptions,
): Promise<ThinkingApplication> {
  const started = await startThinking(declare, options);
  onTestFinished(() => void started.close());
  return started;
}

/** Starts what `declare` declares, with two callers of all scopes and one of few. */
export async function startThinking(
  declare: (app: Application) => void,
  { format = 'anthropic', script, ...options }: ThinkingOptions = {},
): Promise<ThinkingApplication> {
  const simulator = await startSimulator({ anonymous: true, ...(script && { script }) });
  const env = { LOG_LEVEL: 'silent', TOKEN_SECRET: tokenSecret, ...callers };
  const app = createApplication('desk', { port: 0, ...options, env });
  app
    .apiKey('ANN_KEY', 'ann', { scopes })
    .apiKey('BEN_KEY', 'ben', { scopes })
    .apiKey('CAT_KEY', 'cat', { scopes: fewScopes })
    .provider('simulator', format === 'openai' ? `${simulator.url}/v1` : simulator.url, { kind: format })
    .models({ default: 'simulator/claude-opus-5', fast: 'simulator/claude-haiku-4-5' })
    .pricing('default', 5, 25)
    .pricing('fast', 1, 5);
  declare(app);
  const running = await app.listen();
  const send: ThinkingApplication['send'] = async (path, body, caller = 'ANN_KEY', headers = {}) => {
    const response = await fetch(running.url + path, {
      headers: { 'x-api-key': callers[caller], 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = (response.headers.get('content-type') ?? '').includes('json');
    return { status: response.status, text, value: (json ? JSON.parse(text) : {}) as Envelope };
  };
  return {
    ...{ url: running.url, simulator, send },
    ask: (agent, input, caller) =>
      send(`/agents/${agent}`, typeof input === 'string' ? { input } : input, caller),
    async close() {
      await running.close();
      await simulator.close();
    },
  };
}

/** A message as the service of the format `anthropic` is sent it. */
export interface SentMessage {
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

/** The messages of the n-th request that the models were sent, the first by default. */
export function messagesOf({ requests }: Simulator, n = 0): readonly SentMessage[] {
  // The simulator refuses what has another form.
  const body = requests[n]?.body as { readonly messages: readonly SentMessage[] } | undefined;
  return body?.messages ?? [];
}
