import type { JsonObject } from '../json.ts';
import type { WireMessage } from './write-turn.ts';

/** The three parts of a prompt, in the order in which they are cached. */
export interface Prompt {
  readonly tools: readonly JsonObject[];
  readonly system: readonly JsonObject[];
  readonly messages: readonly (WireMessage & JsonObject)[];
}

const mark: JsonObject = { cache_control: { type: 'ephemeral' } };

/**
 * Marks the four places up to which a prompt is cached: the last tool, the end of the system text, and the last two
 * turns of the user. The newest turn is written to the cache, the one before it is where the call before this one wrote.
 */
export function markForCache({ tools, system, messages }: Prompt): Prompt {
  const users = messages.flatMap(({ role }, i) => (role === 'user' ? [i] : [])).slice(-2);
  return {
    tools: markLast(tools),
    system: markLast(system),
    messages: messages.map((message, i) =>
      users.includes(i) ? { ...message, content: markLast(message.content) } : message,
    ),
  };
}

function markLast(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const last = blocks.at(-1);
  return last === undefined ? blocks : [...blocks.slice(0, -1), { ...last, ...mark }];
}
