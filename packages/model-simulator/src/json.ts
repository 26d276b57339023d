/** A JSON object whose members nobody has looked at yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: no array, not null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; nothing when it is no list. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A text as it is, and anything else as the empty one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A number of an object, if that member is one. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
