import type { Api, Operation } from '../model/api.ts';

/** The address of an operation in this page. */
export function operationHref({ id }: Operation): string {
  return `#/${encodeURIComponent(id.toWellFormed())}`;
}

/** The operation that a fragment names; undefined where it names none. */
export function operationAt({ operations }: Api, fragment: string): Operation | undefined {
  if (!fragment.startsWith('#/')) return undefined;
  try {
    return operations.get(decodeURIComponent(fragment.slice(2)));
  } catch {
    return undefined;
  }
}
