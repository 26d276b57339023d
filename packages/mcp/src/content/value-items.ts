import { type MarkedContent, readMarker } from '@waymark/contract/tools';
import { isRecord } from '../protocol/envelope.ts';
import { markedItem, textItem } from './content.ts';

/** Whose value it is, and what its reader understands. */
export interface ItemOptions {
  readonly tool: string;
  /** Whether the client knows items of type `resource_link`. */
  readonly links: boolean;
}

/** Whether JSON may hold a marker; what it holds is looked at only then. */
export function mayHoldMarkers(json: string): boolean {
  return json.includes('"$');
}

/**
 * The items of a JSON text. Markers become items, and a text item says where they were; a marker alone needs no words.
 * A list that holds markers is content in its own order, each element for itself.
 */
export function valueItems(json: string, { tool, links }: ItemOptions): readonly string[] {
  const value: unknown = JSON.parse(json);
  const counts = new Map<string, number>();
  /** The value with `[image 1: image/png]` in place of each marker. */
  const takeFrom = (node: unknown, items: string[]): unknown => {
    const content = readMarker(node);
    if (content) {
      items.push(markedItem(content, tool, links));
      return placeholder(content, counts);
    }
    if (Array.isArray(node)) return node.map((member) => takeFrom(member, items));
    if (!isRecord(node)) return node;
    return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, takeFrom(member, items)]));
  };
  const itemsOf = (element: unknown): readonly string[] => {
    if (typeof element === 'string') return [textItem(element)];
    const items: string[] = [];
    const rest = takeFrom(element, items);
    return typeof rest === 'string' ? items : [textItem(JSON.stringify(rest)), ...items];
  };
  if (Array.isArray(value) && value.some((element) => readMarker(element) !== undefined))
    return value.flatMap(itemsOf);
  const items = itemsOf(value);
  // Without a marker the text keeps its own characters: numbers may be larger than ours.
  return counts.size === 0 && typeof value !== 'string' ? [textItem(json)] : items;
}

function placeholder(content: MarkedContent, counts: Map<string, number>): string {
  const word = content.kind === 'resource_link' ? 'link' : content.kind;
  const count = (counts.get(word) ?? 0) + 1;
  counts.set(word, count);
  return `[${word} ${count}: ${'uri' in content ? content.uri : content.media_type}]`;
}
