import type { Message, Part } from '@waymark/contract/models';
import type { ImagePart } from './image-part.ts';

/** How many tokens a conversation was counted as, up to which message. */
export interface Measured {
  readonly tokens: number;
  readonly messages: number;
}

/**
 * What was said in a run so far, as its rows tell it: the same rows make the same conversation. System prompt and tools
 * are not part of it; they are those of today.
 */
export class Conversation {
  #messages: readonly Message[];
  /** What contexts say, and the message before which it stands. */
  #contexts: { readonly text: string; readonly at: number } | undefined;
  #measured: Measured | undefined;
  /** How many messages of the session stand before the run's own. */
  readonly #before: number;
  #compacted = false;

  /**
   * @param history what was said in the session before
   * @param contexts what contexts say; it stands right before the input, so that a session's prompt begins as it did
   */
  constructor(history: readonly Message[], input: Message, contexts?: string) {
    this.#messages = [...history, input];
    this.#before = history.length;
    this.#contexts = contexts === undefined ? undefined : { text: contexts, at: history.length };
  }

  get length(): number {
    return this.#messages.length;
  }

  /** What was said, without what contexts say. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** By the last call of a model; undefined once something before it has changed. */
  get measured(): Measured | undefined {
    return this.#measured;
  }

  add(message: Message): void {
    this.#messages = [...this.#messages, message];
  }

  /** What contexts say from now on; what they said before is taken back. */
  tell(contexts: string | undefined): void {
    this.#contexts = contexts === undefined ? undefined : { text: contexts, at: this.length };
    this.#measured = undefined;
  }

  measure(tokens: number): void {
    this.#measured = { tokens, messages: this.length };
  }

  /** A summary takes the place of the first messages. */
  compact(replaced: number, summary: Message): void {
    this.#messages = [summary, ...this.#messages.slice(replaced)];
    if (this.#contexts)
      this.#contexts = { ...this.#contexts, at: Math.max(1, this.#contexts.at - replaced + 1) };
    this.#compacted = true;
    this.#measured = undefined;
  }

  /** Takes out all images but the newest. @returns how many it took out */
  dropImages(keep: number): number {
    const images = this.#messages.flatMap(({ parts }) => parts.flatMap(imagesOf));
    const old = new Set(images.slice(0, Math.max(0, images.length - keep)));
    if (old.size > 0)
      this.#messages = this.#messages.map(({ role, parts }) => ({ role, parts: withoutImages(parts, old) }));
    return old.size;
  }

  /** What a model is asked with, after the system prompt. */
  toMessages(): readonly Message[] {
    if (!this.#contexts) return this.#messages;
    const { text, at } = this.#contexts;
    const told: Message = { role: 'user', parts: [{ type: 'text', text }] };
    return [...this.#messages.slice(0, at), told, ...this.#messages.slice(at)];
  }

  /** What a session keeps of the run: its own messages, or all that count where some were compacted. */
  toSession(): { readonly messages: readonly Message[]; readonly replaces?: boolean } {
    const said = this.#compacted ? this.#messages : this.#messages.slice(this.#before);
    const messages = withoutOpenCalls(said);
    return this.#compacted ? { messages, replaces: true } : { messages };
  }
}

function imagesOf(part: Part): readonly ImagePart[] {
  if (part.type === 'image') return [part];
  return part.type === 'tool_result' ? part.parts.flatMap(imagesOf) : [];
}

function withoutImages(parts: readonly Part[], old: ReadonlySet<Part>): readonly Part[] {
  return parts.map((part) => {
    if (old.has(part)) return { type: 'text', text: '[image removed: newer ones took its place]' };
    return part.type === 'tool_result' ? { ...part, parts: withoutImages(part.parts, old) } : part;
  });
}

/** A call that was never made has no result, and no service takes one without the other. */
function withoutOpenCalls(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return messages;
  const parts = last.parts.filter(({ type }) => type !== 'tool_call');
  return [...messages.slice(0, -1), ...(parts.length > 0 ? [{ ...last, parts }] : [])];
}
