import { createModels } from '@waymark/models';
import { loadClients } from '../../../e2e/model-peers/load-clients.ts';
import { type Format, providerAt, question, wireOf } from './request.ts';

/** What a call gave: everybody has to find the same. */
export interface CallResult {
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Those that are compared. */
export const callerNames = ['waymark', 'fetch', 'sdk'] as const;

/** One of them. */
export type CallerName = (typeof callerNames)[number];

/** Makes the function that asks the question once. */
export function makeCaller(who: CallerName, format: Format, url: string): Promise<() => Promise<CallResult>> {
  return { waymark: makeWaymark, fetch: makeFetch, sdk: makeSdk }[who](format, url);
}

async function makeWaymark(format: Format, url: string): Promise<() => Promise<CallResult>> {
  const { client } = createModels([providerAt(url, format)], { env: () => 'bench-key' });
  const { signal } = new AbortController();
  return async () => {
    const { message, spend } = await client.complete(question, { signal });
    const [part] = message.parts;
    const [{ inputTokens, outputTokens } = { inputTokens: 0, outputTokens: 0 }] = spend;
    return { text: part?.type === 'text' ? part.text : '', inputTokens, outputTokens };
  };
}

/** Bytes there, bytes back, and nothing else. */
async function makeFetch(format: Format, url: string): Promise<() => Promise<CallResult>> {
  const { url: target, headers, body } = await wireOf(url, format);
  return async () => {
    const response = await fetch(target, { method: 'POST', headers, body: JSON.stringify(body) });
    return readAnswer(format, await response.json());
  };
}

async function makeSdk(format: Format, url: string): Promise<() => Promise<CallResult>> {
  const clients = await loadClients();
  const { body } = await wireOf(url, format);
  const options = { apiKey: 'bench-key', logLevel: 'off' };
  if (format === 'openai') {
    const { chat } = clients.openai({ ...options, baseURL: `${url}/v1` });
    return async () => readAnswer(format, await chat.completions.create(body));
  }
  const { messages } = clients.anthropic({ ...options, baseURL: url });
  return async () => readAnswer(format, await messages.create(body));
}

interface ChatAnswer {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

interface MessageAnswer {
  readonly content: readonly { readonly text: string }[];
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

function readAnswer(format: Format, answer: unknown): CallResult {
  if (format === 'openai') {
    const { choices, usage } = answer as ChatAnswer;
    return {
      text: choices[0]?.message.content ?? '',
      inputTokens: usage.prompt_tokens,
      outputTokens: usage.completion_tokens,
    };
  }
  const { content, usage } = answer as MessageAnswer;
  return { text: content[0]?.text ?? '', inputTokens: usage.input_tokens, outputTokens: usage.output_tokens };
}
