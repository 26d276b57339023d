import type { Values } from '@waymark/contract';
import type { ResponseHeaders } from '@waymark/contract/engine';
import { textItem } from './content.ts';

/**
 * The item that tells of the rest of a list, where its answer has a next part (`Link` with `rel="next"`): a model reads
 * no headers. It names the arguments that lead there, as far as they differ from those of this call (decision 5.4).
 *
 * @param link the header of the answer
 * @returns undefined where nothing is left
 */
export function moreItem(
  link: ResponseHeaders[string] | undefined,
  tool: string,
  values: Values,
): string | undefined {
  const target = link === undefined ? undefined : nextLink.exec(String(link))?.[1];
  if (target === undefined) return undefined;
  const changed = [...queryOf(target)].filter(([name, value]) => String(values[name]) !== value);
  const how =
    changed.length === 0 ? '' : ` with ${changed.map(([name, value]) => `${name}=${value}`).join(', ')}`;
  return textItem(`There is more: call ${tool} again${how}.`);
}

/** One link of the header, up to the comma before the next one. */
const nextLink = /<([^<>]*)>[^<>]*;\s*rel="?next\b/;

/** Only its query counts, so any base will do. */
function queryOf(target: string): URLSearchParams {
  return URL.canParse(target, 'http://localhost')
    ? new URL(target, 'http://localhost').searchParams
    : new URLSearchParams();
}
