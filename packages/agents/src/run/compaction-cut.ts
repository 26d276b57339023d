import type { Message } from '@waymark/contract/models';

/** What a summary takes the place of must be worth one. */
const leastReplaced = 2;

/**
 * Says how many of the first messages a summary may take the place of: as many as leave the newest ones, and no result
 * without its call.
 *
 * @returns 0 where there is nothing to compact
 */
export function compactionCut(messages: readonly Message[], keepRecent: number): number {
  for (let cut = messages.length - keepRecent; cut >= leastReplaced; cut--)
    if (!beginsWithResult(messages[cut])) return cut;
  return 0;
}

function beginsWithResult(message: Message | undefined): boolean {
  return message?.parts.some(({ type }) => type === 'tool_result') ?? false;
}
