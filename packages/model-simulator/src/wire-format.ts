import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from './json.ts';
import type { Quirk } from './quirks.ts';
import type { Ids } from './reply/ids.ts';
import type { PromptBlock } from './reply/prompt.ts';
import type { PromptCache } from './reply/prompt-cache.ts';
import type { RefusalMembers } from './reply/refusal.ts';
import type { Reply } from './reply/reply.ts';
import type { Conversation, FormatName } from './request/conversation.ts';
import type { UsageSetting } from './script/directive.ts';
import type { SimulatedUsage } from './usage.ts';

/** A reply with all that a format needs to write it. */
export interface Answer {
  readonly reply: Reply;
  readonly conversation: Conversation;
  readonly usage: SimulatedUsage;
  readonly usageForm: UsageSetting['form'];
  readonly quirks: ReadonlySet<Quirk>;
  readonly ids: Ids;
}

/** What a request brings beside its body. */
export interface Credentials {
  readonly form: 'bearer' | 'x-api-key' | 'both' | 'none';
  /** The newer form when both came. */
  readonly key: string;
}

/** One of the wire formats: how requests are read and checked, and replies written. */
export interface WireFormat {
  readonly name: FormatName;
  /** The paths to which its requests go. */
  readonly serves: RegExp;
  readonly requestIdHeader: 'x-request-id' | 'request-id';
  /** @throws {Refusal} on a header that is missing or wrong */
  checkHeaders(headers: IncomingHttpHeaders): void;
  /** What the service says to a request without a key, or with one that it does not know. */
  unauthorized(credentials: Credentials): RefusalMembers;
  unknownModel(model: string): RefusalMembers;
  promptTooLong(tokens: number, window: number): RefusalMembers;
  notJson(): RefusalMembers;
  /** Reads whatever it can of a body that nobody checked. */
  read(body: JsonObject): Conversation;
  /** @throws {Refusal} on a body that the service would not take */
  check(body: JsonObject, quirks: ReadonlySet<Quirk>, headers: IncomingHttpHeaders): void;
  toBlocks(body: JsonObject): PromptBlock[];
  readCache(cache: PromptCache, model: string, blocks: readonly PromptBlock[]): CacheUsage;
  toBody(answer: Answer): JsonObject;
  /** The events of a stream, each with its blank line. */
  toEvents(answer: Answer): string[];
  toErrorBody(members: RefusalMembers, requestId: string): JsonObject;
  /** An error in the middle of a stream. */
  toErrorEvent(members: RefusalMembers, requestId: string): string;
}

/** What of a prompt came from the cache, and what went into it. */
export type CacheUsage = Pick<SimulatedUsage, 'cacheReadTokens' | 'cacheWriteTokens' | 'cacheWrite1hTokens'>;

/** A text in the pieces in which a stream brings it, at most 2,000 or so, and no character torn apart. */
export function piecesOf(text: string): string[] {
  const length = Math.max(12, Math.ceil(text.length / 2000));
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + length, text.length);
    const last = text.charCodeAt(end - 1);
    if (last >= 0xd800 && last < 0xdc00 && end < text.length) end++;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}
