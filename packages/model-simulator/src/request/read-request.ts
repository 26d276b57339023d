import { hash } from 'node:crypto';
import { isObject, type JsonObject } from '../json.ts';
import type { SimulatorOptions } from '../options.ts';
import type { PromptBlock } from '../reply/prompt.ts';
import { Refusal } from '../reply/refusal.ts';
import { readScript, type Script } from '../script/read-script.ts';
import type { WireFormat } from '../wire-format.ts';
import type { Conversation } from './conversation.ts';
import { credentialsOf } from './credentials.ts';
import type { Exchange } from './exchange.ts';
import { readBody } from './read-body.ts';

/** A request that the service would answer, and what its script says. */
export interface ReadRequest {
  readonly conversation: Conversation;
  readonly script: Script;
  readonly blocks: readonly PromptBlock[];
  readonly inputTokens: number;
  /** The same for the same body. */
  readonly digest: string;
}

const defaultMaxBodyBytes = 64 * 1024 * 1024;

/**
 * Reads and checks a request in the order of the services: size, key, headers, JSON, members.
 *
 * @returns undefined when the client is gone
 * @throws {Refusal} on the first thing that is wrong
 */
export async function readRequest(exchange: Exchange): Promise<ReadRequest | undefined> {
  const { state, format, entry, request } = exchange;
  const { maxBodyBytes = defaultMaxBodyBytes, script: override, models } = state.options;
  const bytes = await readBody(request, maxBodyBytes);
  if (bytes === 'gone') return undefined;
  if (bytes === 'too large') {
    throw new Refusal({ status: 413, message: `Request exceeds the maximum size of ${maxBodyBytes} bytes.` });
  }
  checkKey(exchange);
  format.checkHeaders(request.headers);
  const body = parseBody(format, bytes);
  state.log.setBody(entry, body, bytes.length);
  const digest = `${format.name} ${hash('sha256', bytes)}`;
  entry.attempt = state.attempts.begin(digest);
  const conversation = format.read(body);
  const own = readScript(conversation, override?.(conversation, entry.attempt));
  const script = withOptions(own, state.options);
  format.check(body, script.settings.quirks, request.headers);
  if (models && !models.includes(conversation.model)) {
    throw new Refusal(format.unknownModel(conversation.model));
  }
  const blocks = format.toBlocks(body);
  const inputTokens = blocks.reduce((sum, block) => sum + block.tokens, 0);
  const { window } = script.settings;
  if (window !== null && inputTokens > window) throw new Refusal(format.promptTooLong(inputTokens, window));
  return { conversation, script, blocks, inputTokens, digest };
}

function checkKey({ state, format, request }: Exchange): void {
  const { apiKeys, anonymous = false } = state.options;
  const credentials = credentialsOf(request.headers);
  const accepted = credentials.form === 'none' ? anonymous : (apiKeys?.includes(credentials.key) ?? true);
  if (!accepted) throw new Refusal(format.unauthorized(credentials));
}

function parseBody(format: WireFormat, bytes: Buffer): JsonObject {
  try {
    const body: unknown = JSON.parse(bytes.toString());
    if (isObject(body)) return body;
  } catch {
    // Refused like any other body that is not an object.
  }
  throw new Refusal(format.notJson());
}

function withOptions(script: Script, { quirks = [], contextWindow }: SimulatorOptions): Script {
  const { settings } = script;
  return {
    ...script,
    settings: {
      ...settings,
      quirks: quirks.length > 0 ? new Set([...quirks, ...settings.quirks]) : settings.quirks,
      window: settings.window ?? contextWindow ?? null,
    },
  };
}
