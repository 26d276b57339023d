/** A piece of JSON, to be coloured. */
export interface JsonPiece {
  readonly kind: 'name' | 'text' | 'number' | 'word' | 'mark';
  readonly text: string;
}

const pieces = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|([[\]{},])/g;

/**
 * JSON with a line for each member, from its text and not from its value: large numbers stay as they are. What stands
 * between the pieces is left out.
 *
 * @param text valid JSON
 */
export function prettyJson(text: string): readonly JsonPiece[] {
  const found: JsonPiece[] = [];
  let depth = 0;
  const mark = (piece: string): void => void found.push({ kind: 'mark', text: piece });
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  const tokens = [...text.matchAll(pieces)];
  for (const [i, [, string, colon, number, word, sign]] of tokens.entries()) {
    if (string !== undefined) found.push({ kind: colon === undefined ? 'text' : 'name', text: string });
    if (colon !== undefined) mark(': ');
    if (number !== undefined) found.push({ kind: 'number', text: number });
    if (word !== undefined) found.push({ kind: 'word', text: word });
    if (sign === undefined) continue;
    const closes = sign === '}' || sign === ']';
    const empty = /^[}\]]$/.test(tokens[i + 1]?.[5] ?? '');
    const wasEmpty = /^[{[]$/.test(tokens[i - 1]?.[5] ?? '');
    if (sign === ',') mark(`,${newLine()}`);
    else if (closes) {
      depth--;
      mark(wasEmpty ? sign : `${newLine()}${sign}`);
    } else {
      depth++;
      mark(empty ? sign : `${sign}${newLine()}`);
    }
  }
  return found;
}
