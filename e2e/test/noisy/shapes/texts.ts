/** A text of about so many bytes: a beginning, members until it is full, an end. */
function fill(limit: number, open: string, close: string, member: (i: number) => string): Buffer {
  const parts: string[] = [open];
  let size = open.length + close.length;
  for (let i = 0; ; i++) {
    const part = i === 0 ? member(i) : `,${member(i)}`;
    size += part.length;
    if (size > limit) break;
    parts.push(part);
  }
  parts.push(close);
  return Buffer.from(parts.join(''), 'latin1');
}

/** Texts by what is hard about them, each about as long as may be. Agents read `input` and `images`. */
export const texts: Readonly<Record<string, (limit: number) => Buffer>> = {
  'too deep': (limit) => Buffer.alloc(limit, '['),
  'deep and closed': (limit) =>
    Buffer.concat([Buffer.alloc(Math.floor(limit / 2), '['), Buffer.alloc(Math.floor(limit / 2), ']')]),
  'many members': (limit) => fill(limit, '{"input":"x",', '}', (i) => `"k${i}":1`),
  'many objects': (limit) => fill(limit, '{"input":"x","images":[', ']}', () => '{}'),
  'many numbers': (limit) => fill(limit, '{"input":"x","images":[', ']}', () => '1e308'),
  'one long text': (limit) =>
    fill(limit, '{"input":"', '"}', () => 'x'.repeat(Math.min(limit / 4, 1_000_000) | 0)),
  'one long number': (limit) => fill(limit, '{"input":', '}', () => '1'.repeat((limit - 20) | 0)),
  escapes: (limit) => fill(limit, '{"input":"', '"}', () => '\\u0000\\ud800'),
  'one name often': (limit) => fill(limit, '{"input":"x",', '}', () => '"a":1'),
  'texts of all kinds': (limit) => fill(limit, '{"input":"x","images":[', ']}', (i) => `"${i.toString(36)}"`),
  'no JSON': (limit) => fill(limit, '', '', () => '{'),
};

/** What a slow pattern reads slowest: the beginning of a match that never ends. */
export function almostMatching(length: number): string {
  return `a@${'.'.repeat(Math.max(0, length - 3))}@`;
}
