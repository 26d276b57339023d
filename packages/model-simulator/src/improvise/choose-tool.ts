import type { OfferedTool } from '../request/conversation.ts';
import { Hints } from './hints.ts';
import { canFill } from './instance-of.ts';
import { sharedWords, wordsOf } from './words.ts';

/**
 * The tool that a text most likely asks for; none when too few words agree.
 *
 * A word in the name of a tool counts 2, in its description 1, and 2 are needed. A tool whose required numbers the text
 * does not have is no candidate.
 */
export function chooseTool(tools: readonly OfferedTool[], text: string): OfferedTool | undefined {
  const words = wordsOf(text);
  let best: OfferedTool | undefined;
  let most = 1;
  for (const tool of tools) {
    const name = wordsOf(tool.name);
    const described = [...wordsOf(tool.description)].filter((word) => !name.has(word));
    const score = 2 * sharedWords(name, words) + sharedWords(new Set(described), words);
    if (score > most && canFill(tool.schema, new Hints(text))) [best, most] = [tool, score];
  }
  return best;
}
