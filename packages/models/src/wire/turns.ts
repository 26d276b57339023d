import type { Message, ModelTool, Part } from '@waymark/contract/models';

/** A conversation as every format wants it: what the system says first, then turns of alternating roles. */
export interface Conversation {
  /** The texts of the system messages before the first turn. */
  readonly system: readonly string[];
  /** Never two of one role in a row, never an empty one. */
  readonly turns: readonly Turn[];
}

/** All that one side says before the other does. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly Part[];
}

/** Joins messages to turns. A system message after the first turn becomes a text of the user: not every server takes it. */
export function toConversation(messages: readonly Message[], provider: string): Conversation {
  const system: string[] = [];
  const turns: { role: Turn['role']; parts: Part[] }[] = [];
  for (const { role, parts } of messages) {
    if (role === 'system' && turns.length === 0) {
      system.push(...parts.flatMap((part) => (part.type === 'text' && hasText(part) ? [part.text] : [])));
      continue;
    }
    const side = role === 'assistant' ? 'assistant' : 'user';
    const kept = parts.filter((part) => isSent(part, provider));
    const last = turns.at(-1);
    if (kept.length === 0) continue;
    if (last?.role === side) last.parts.push(...kept);
    else turns.push({ role: side, parts: kept });
  }
  return { system, turns };
}

/** Texts that are empty, or nothing but space, are refused by some. */
export function hasText({ text }: { readonly text: string }): boolean {
  return text.trim() !== '';
}

/** A block of one provider means nothing to another. */
function isSent(part: Part, provider: string): boolean {
  if (part.type === 'text') return hasText(part);
  return part.type !== 'opaque' || part.provider === provider;
}

/** Tools in the order of their names, so that the same ones make the same prefix of a prompt. */
export function sortTools(tools: readonly ModelTool[]): readonly ModelTool[] {
  return tools.toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}

/** The text of a tool's result. */
export function resultText(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** The images of a tool's result. */
export function resultImages(parts: readonly Part[]): readonly Extract<Part, { readonly type: 'image' }>[] {
  return parts.filter((part) => part.type === 'image');
}
