/** JSON as people read it; what is no JSON says so. */
export function toJsonText(value: unknown): string {
  if (value === undefined) return 'nothing';
  try {
    return JSON.stringify(value, null, 2) ?? String(value);
  } catch {
    return String(value);
  }
}

/** A value in a line, cut at a length. */
export function toLine(value: unknown, most = 120): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** A text as a shell takes it, whatever is in it. */
export function toShellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
