import { callTool, HTTPError, type RouteTable, type Values } from '@waymark/contract';
import { adminScope } from '@waymark/contract/principal';
import { createDispatcher } from '@waymark/core-routes';

/**
 * Asks a route of the control plane without serving anything, as somebody who may see everything: what it answers is
 * what a running server would answer, by the same code.
 *
 * @param path relative to the control prefix: `/routes`
 * @throws {DeclarationError} when the table cannot be put to use
 */
export async function askControl(table: RouteTable, path: string): Promise<Values> {
  const route = [...table].find((one) => one.plane === 'control' && one.path === path);
  if (!route) throw new Error(`the table has no control route ${path}`);
  const scopes = [adminScope, ...[...table].flatMap((one) => one.scopes)];
  const answer = await callTool(createDispatcher(table, { controlRule: () => undefined }), {
    ...{ route, arguments: {}, via: 'http', requestId: 'waymark' },
    principal: { id: 'waymark', rootId: 'waymark', authenticated: true, scopes },
  });
  if (!answer.ok) throw new HTTPError(answer.status, answer.message);
  // Listings and the document are objects; so they are declared.
  return answer.value as Values;
}
