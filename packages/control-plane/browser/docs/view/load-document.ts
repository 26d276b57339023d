import { asText, memberOf } from '../model/json.ts';
import { credentialHeader } from '../snippets/credential.ts';

/** What came of asking for the document. */
export type Loaded =
  | { readonly is: 'document'; readonly document: unknown }
  | { readonly is: 'refused'; readonly reason: 'unknown' | 'forbidden'; readonly detail: string }
  | { readonly is: 'failed'; readonly detail: string };

/** Asks the service for its document, with a key or with whatever session this origin has. */
export async function loadDocument(key: string | undefined): Promise<Loaded> {
  let headers: Headers;
  try {
    headers = new Headers(key === undefined ? [] : [[...credentialHeader({ schemes: [] }, key)]]);
  } catch {
    // No service can know a key that cannot be sent.
    return { is: 'refused', reason: 'unknown', detail: '' };
  }
  try {
    const response = await fetch('openapi.json', {
      ...{ headers, cache: 'no-cache', redirect: 'error' },
      credentials: key === undefined ? 'same-origin' : 'omit',
    });
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok) return { is: 'document', document: body };
    const detail = asText(memberOf(body, 'detail'));
    if (response.status === 401) return { is: 'refused', reason: 'unknown', detail };
    if (response.status === 403) return { is: 'refused', reason: 'forbidden', detail };
    return { is: 'failed', detail: detail || `The service answered ${response.status}.` };
  } catch {
    return { is: 'failed', detail: 'The service cannot be reached from here.' };
  }
}
