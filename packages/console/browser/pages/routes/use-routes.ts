import { useMemo } from 'preact/hooks';
import { useApp } from '../../app/app-context.ts';
import { usePolled } from '../../app/use-polled.ts';
import type {
  ControlRoutesListOutputRoutesItem as RouteRow,
  ControlToolsListOutputToolsItem as ToolRow,
} from '../../client/control.ts';
import type { NoInput } from '../../client/runtime.ts';
import { type ApiDocument, readApiDocument } from './api-document.ts';

/** All that is known of the routes of a service. It does not change while it runs. */
export interface Routes {
  readonly routes: readonly RouteRow[] | undefined;
  readonly tools: ReadonlyMap<string, ToolRow>;
  readonly document: ApiDocument;
  /** Whether the document has come. */
  readonly described: boolean;
  readonly error: unknown;
}

/** A document of three hundred routes may take a while on a slow line. */
const documentTimeoutMs = 30_000;

/** Asks for the routes, the tools that the caller may use, and the document. */
export function useRoutes(): Routes {
  const { service } = useApp();
  const { control, address, call } = service;
  const listed = usePolled((signal) => control.routes.list({}, { signal }), {}, []);
  const used = usePolled((signal) => control.tools.list({}, { signal }), {}, []);
  const described = usePolled(
    (signal) =>
      call<NoInput, unknown>({
        method: 'GET',
        path: `${address.control.slice(address.base.length)}/openapi.json`,
        json: true,
        retry: true,
        timeoutMs: documentTimeoutMs,
      })({}, { signal }),
    {},
    [],
  );
  const tools = useMemo(() => new Map((used.value?.tools ?? []).map((one) => [one.name, one])), [used.value]);
  const document = useMemo(() => readApiDocument(described.value), [described.value]);
  return {
    routes: listed.value?.routes,
    ...{ tools, document },
    described: described.value !== undefined || described.error !== undefined,
    error: listed.error,
  };
}
