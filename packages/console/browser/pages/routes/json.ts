/** An object whose members nobody vouches for. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether a value is an object, and no list. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as an object: an empty one where it is none. */
export function asMembers(value: unknown): Members {
  return isMembers(value) ? value : {};
}

/** A value as a list: an empty one where it is none. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A value as a text: an empty one where it is none. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
