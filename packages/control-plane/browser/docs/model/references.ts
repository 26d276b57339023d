import { asObject, asText, isObject, type JsonObject, memberOf } from './json.ts';

/** How many references may lead to each other. */
const furthest = 20;

/** Finds what references of a document stand for. */
export class References {
  readonly #document: unknown;

  constructor(document: unknown) {
    this.#document = document;
  }

  /**
   * The object behind a reference, with what stands beside it, or the object itself. One that leads nowhere, or in a
   * circle, is an object without members.
   */
  resolve(value: unknown): JsonObject {
    let found = asObject(value);
    for (let i = 0; i < furthest && typeof found['$ref'] === 'string'; i++) {
      const { $ref, ...beside } = found;
      found = { ...asObject(this.#at(asText($ref))), ...beside };
    }
    return typeof found['$ref'] === 'string' ? {} : found;
  }

  #at(reference: string): unknown {
    if (!reference.startsWith('#')) return undefined;
    let found = this.#document;
    for (const part of reference.slice(1).split('/').slice(1)) {
      const name = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
      found = Array.isArray(found) ? found[Number(name)] : memberOf(found, name);
    }
    return isObject(found) ? found : undefined;
  }
}

/** `Ticket` of `#/components/schemas/Ticket`. */
export function referenceName(value: unknown): string | undefined {
  const reference = memberOf(value, '$ref');
  return typeof reference === 'string' ? decode(reference.slice(reference.lastIndexOf('/') + 1)) : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
