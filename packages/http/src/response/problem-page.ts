import { RouteResponse } from '@waymark/contract/engine';
import type { ToProblemPage } from '@waymark/contract/http';
import type { Visit } from '../door/visit.ts';

/** The answer to a browser: the same refusal as a page. An answer that is no problem stays as it is. */
export function asPage(response: RouteResponse, visit: Visit, toPage: ToProblemPage): RouteResponse {
  const { status, body, headers } = response;
  if (body.kind !== 'problem') return response;
  const page = toPage({
    status,
    detail: body.detail,
    code: body.code,
    requestId: visit.requestId,
    method: visit.method,
    target: visit.sentTarget,
    matched: visit.route !== undefined,
    principal: visit.principal,
    clientAddress: visit.clientAddress,
    headers: visit.headers,
  });
  return new RouteResponse(
    page.status ?? status,
    { kind: 'bytes', bytes: Buffer.from(page.html), mediaType: 'text/html; charset=utf-8' },
    { ...headers, 'cache-control': 'no-store', vary: 'Accept', ...page.headers },
  );
}
