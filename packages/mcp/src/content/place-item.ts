import type { RouteResponse } from '@waymark/contract/engine';
import { textItem } from './content.ts';

/**
 * An item that says where the answer of a run will be that waits, or goes on elsewhere: over HTTP, for the same caller.
 *
 * @returns undefined for answers that say nothing of the kind; elsewhere the header has another meaning
 */
export function placeItem(status: number, { location }: RouteResponse['headers']): string | undefined {
  if (typeof location !== 'string' || (status !== 202 && status !== 503)) return undefined;
  return textItem(`the answer will be at ${location}`);
}
