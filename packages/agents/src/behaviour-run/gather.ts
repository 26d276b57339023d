import type { Json } from '@waymark/contract';
import type { GatherItem, GatherOptions } from '../behaviour/behaviour-context.ts';
import type { BehaviourWork } from './behaviour-work.ts';
import { callDeclared } from './call-tools.ts';
import { requireOptions } from './check-asked.ts';
import { firstFailure, settle } from './settle.ts';

/** Calls of one `gather` that are executed at once. */
export const maxExecuted = 16;

/**
 * Calls all items in their order, at once: their numbers in the journal, and what humans are asked, are the same
 * whatever finishes first. Executed are so many of them as there is room for; each result makes room for the next.
 *
 * @throws {TypeError} an item that names no tool, or an option that is none; then nothing is called
 */
export async function gather(
  items: readonly GatherItem[],
  options: GatherOptions,
  work: BehaviourWork,
): Promise<readonly unknown[]> {
  requireOptions(options, { returnExceptions: 'boolean' });
  if (!Array.isArray(items)) throw new TypeError('items of gather are a list');
  const waiting: (() => void)[] = [];
  const calls = [...items].map(toCall).map((call, i) => {
    const after = i < maxExecuted ? undefined : new Promise<void>((resolve) => waiting.push(resolve));
    const result = settle<Json>(callDeclared({ as: 'call', ...call, ...(after && { after }) }, work));
    void result.then(() => waiting.shift()?.());
    return result;
  });
  const results = await Promise.all(calls);
  if (options.returnExceptions) return results.map((one) => (one.ok ? one.value : one.error));
  const failure = firstFailure(results);
  if (failure) throw failure.error;
  return results.map((one) => (one.ok ? one.value : null));
}

function toCall(item: GatherItem): { readonly tool: string; readonly args: unknown } {
  if (typeof item === 'string') return { tool: item, args: {} };
  if (isPair(item)) return { tool: item[0], args: item[1] };
  if (typeof item === 'object' && item !== null && typeof item.tool === 'string') {
    const { tool, ...args } = item;
    return { tool, args };
  }
  throw new TypeError('an item of gather is a tool, [tool, args] or { tool, …args }');
}

function isPair(item: Exclude<GatherItem, string>): item is readonly [tool: string, args?: object] {
  return Array.isArray(item) && typeof item[0] === 'string';
}
