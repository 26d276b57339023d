import type { EngineContext } from '@waymark/contract/engine';
import type { TemplateContext } from './page-handler.ts';

/** Names that every template sees, whatever it shows. */
export const commonNames = ['request', 'user'] as const;

/** What a template sees: what the page shows, the request, and who asks. The last two are never the page's own. */
export function toTemplateContext(
  shown: TemplateContext,
  { request, principal }: EngineContext,
): TemplateContext {
  const { path, params, query } = request;
  const { id, authenticated, scopes } = principal;
  return { ...shown, request: { path, params, query }, user: { id, authenticated, scopes } };
}

/** Whether something is a map of names to values. */
export function isMap(value: unknown): value is TemplateContext {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
