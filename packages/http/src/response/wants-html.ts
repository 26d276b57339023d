import { acceptWeights } from '@waymark/contract/http';

/**
 * Whether an `Accept` header asks for a page, as browsers do that go somewhere: it names HTML, which a wildcard does not,
 * and likes no JSON that it names as much.
 */
export function wantsHtml(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes('text/html')) return false;
  const weights = acceptWeights(accept);
  const html = weights.get('text/html') ?? 0;
  return html > 0 && jsonTypes.every((type) => !((weights.get(type) ?? 0) >= html));
}

const jsonTypes = ['application/json', 'application/problem+json', 'application/*'];
