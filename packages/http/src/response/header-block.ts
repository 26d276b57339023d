/** Header lines that are the same for many answers, laid out once for each way they are written. */
export interface HeaderBlock {
  /** Names and values in turn. */
  readonly flat: readonly string[];
  readonly names: ReadonlySet<string>;
  /** `name: value`. */
  readonly lines: readonly string[];
}

/** Lays out headers. @param flat lower-cased names and values in turn, each name once */
export function toHeaderBlock(flat: readonly string[]): HeaderBlock {
  const names = new Set<string>();
  const lines: string[] = [];
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i] as string;
    names.add(name);
    lines.push(`${name}: ${flat[i + 1]}`);
  }
  return { flat, names, lines };
}

/** Replaces a header in a flat list that has it; `vary` is added to, since each side varies for its own reason. */
export function override(headers: string[], name: string, value: string): void {
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] !== name) continue;
    headers[i + 1] = name === 'vary' ? `${headers[i + 1]}, ${value}` : value;
    return;
  }
}

/** Whether a text can be sent as the value of a header. */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]+$/.test(text);
}
