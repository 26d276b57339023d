import type { Route } from '@waymark/contract';
import type { Components, Origin } from './components.ts';
import type { Operation, OperationExtension } from './document.ts';
import { toParameters } from './parameters.ts';
import { toRequestBody } from './request-body.ts';
import { toResponses } from './responses.ts';
import { type SecurityOptions, toSecurity } from './security.ts';
import { tagOf } from './tags.ts';

/** What the table knows of a route. */
export interface Served {
  /** The path it is listed under. */
  readonly template: string;
  /** Milliseconds that it has to answer. */
  readonly timeoutMs: number;
  /** Its method of the client. */
  readonly client?: string | undefined;
}

/** Describes one route. */
export function toOperation(
  route: Route,
  { template, ...served }: Served,
  options: SecurityOptions,
  components: Components,
  fault: Origin['fault'],
): Operation {
  const input: Origin = { name: `${route.name}_input`, root: route.inputSchema, fault };
  const parameters = toParameters(route, template, components, input);
  const requestBody = toRequestBody(route, components, input);
  const security = toSecurity(route, options);
  return {
    operationId: route.name,
    ...toTexts(route),
    ...(route.deprecated !== undefined && { deprecated: true }),
    tags: [tagOf(route)],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: toResponses(route, options, components, { name: route.name, fault }),
    ...(security && { security }),
    'x-waymark': toExtension(route, served),
  };
}

/** A docstring can be long: its first line is the summary, the rest belongs to the description. */
function toTexts({ summary, description }: Route): Pick<Operation, 'summary' | 'description'> {
  const [first = '', ...rest] = summary.trim().split('\n');
  const long = [rest.join('\n').trim(), description.trim()].filter((text) => text !== '').join('\n\n');
  return { summary: first.trim(), ...(long !== '' && { description: long }) };
}

function toExtension(route: Route, { timeoutMs, client }: Omit<Served, 'template'>): OperationExtension {
  const content = route.parameters.find(({ place }) => place === 'content');
  return {
    engine: route.engine.kind,
    tool: route.tool,
    scopes: [...route.scopes],
    approval: route.approval,
    read_only: route.readOnly,
    idempotent: route.idempotent,
    destructive: route.destructive,
    progress: route.progress,
    ...(client !== undefined && { client }),
    ...(content && { content: content.name }),
    ...(Number.isFinite(timeoutMs) && { timeout_ms: timeoutMs }),
  };
}
