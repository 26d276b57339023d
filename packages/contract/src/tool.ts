import { toMarker } from './content-markers.ts';
import type { Call, Dispatcher } from './dispatch.ts';
import { drain } from './drain.ts';
import { HTTPError } from './errors.ts';
import type { Json, Values } from './json.ts';
import { mediaTypeOf } from './media.ts';
import type { RouteResponse } from './message.ts';
import type { Principal } from './principal.ts';
import type { Route } from './route.ts';
import type { RunScope } from './run.ts';

/** The hints of a tool. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly idempotentHint: boolean;
  readonly destructiveHint?: boolean;
  readonly requiresApproval: boolean;
}

/** The specification's tool descriptor, and `outputSchema` where the route declares its output. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema?: object;
  readonly annotations: ToolAnnotations;
}

/** Describes a route as a tool (decision 4.1). */
export function toTool(route: Route): Tool {
  const output = route.output[200] ?? route.output[201] ?? route.output[202];
  return {
    name: route.name,
    description: route.summary,
    inputSchema: route.inputSchema,
    ...(output !== undefined && mediaTypeOf(output) === undefined && { outputSchema: output }),
    annotations: {
      readOnlyHint: route.readOnly,
      idempotentHint: route.idempotent,
      ...(route.destructive && { destructiveHint: true }),
      requiresApproval: route.approval === 'required',
    },
  };
}

/** A tool call: addresses the route itself. */
export type ToolCall = Omit<Call, 'input' | 'step' | 'resume' | 'principal'> & {
  readonly arguments: Values;
} & (
    | { readonly principal: Principal; readonly scope?: undefined }
    /** A journaled step of that run, with its principal, signal and deadline where none is given: a handoff narrows once more. */
    | {
        readonly scope: RunScope;
        readonly principal?: Principal;
        readonly after?: Promise<unknown>;
        readonly reason?: string;
      }
  );

/** A response as a caller by name reads it: JSON only, so that it can be journaled, or shown to a model. */
export type ToolResult =
  | { readonly ok: true; readonly status: number; readonly value: Json }
  | { readonly ok: false; readonly status: number; readonly message: string; readonly code?: string };

/** The code of the refusal below, for doors that print its text bare. */
export const approvalRequired = 'approval_required';

/** The refusal that the specification words. The dispatcher says it after the scopes and before anything is validated. */
export function refusalOverMcp(tool: string): string {
  return `tool "${tool}" requires human approval and cannot be invoked directly over MCP`;
}

/** The failure text that the specification words. */
export function toolFailure(tool: string, status: number, message: string): string {
  return `tool ${tool} failed with ${status}: ${message}`;
}

/** The only way packages call tools. Journals inside a run, so that no driver can forget to. */
export async function callTool(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  call: ToolCall,
): Promise<ToolResult> {
  if (!call.scope) {
    const { arguments: values, scope: _, ...rest } = call;
    return toToolResult(
      await dispatcher.dispatch({ ...rest, input: { by: 'arguments', values } }),
      call.signal,
    );
  }
  const {
    arguments: values,
    scope,
    after,
    reason,
    principal = scope.principal,
    signal = scope.signal,
    deadlineMs = scope.deadlineMs,
    ...rest
  } = call;
  const { name, readOnly, idempotent, engine } = call.route;
  return scope.op<ToolResult>(
    {
      kind: 'call',
      name,
      // Arguments come from JSON: a model's reply, a flow's template, a behaviour's stored values.
      input: values as Json,
      repeat: readOnly || idempotent || engine.durability ? 'safe' : 'never',
      ...(after && { after }),
      ...(reason !== undefined && { reason }),
    },
    async (step) => {
      const input = { by: 'arguments', values } as const;
      return {
        value: await toToolResult(
          await dispatcher.dispatch({ ...rest, principal, signal, deadlineMs, input, step }),
          signal,
        ),
      };
    },
  );
}

/** The most bytes of a stream that a caller by name is given. */
export const maxToolBytes = 8 * 1_048_576;

/**
 * Reads a response for a caller by name. JSON is parsed, text stays text, images become `{"$image": …}` markers, sounds
 * `{"$audio": …}`, other bytes `{"$bytes": …}`, an empty body null. Streams are drained up to `maxToolBytes`; more is a failure (502).
 */
export async function toToolResult(
  { status, body }: RouteResponse,
  signal?: AbortSignal,
): Promise<ToolResult> {
  if (body.kind === 'problem')
    return { ok: false, status, message: body.detail, ...(body.code !== undefined && { code: body.code }) };
  let value: Json = null;
  if (body.kind === 'json') value = JSON.parse(body.text) as Json;
  else if (body.kind === 'bytes') value = toValue(body.bytes, body.mediaType);
  else if (body.kind === 'stream') {
    const read = await drained(body, signal);
    if (!read.ok) return read;
    value = toValue(read.bytes, body.mediaType);
  }
  return status < 400
    ? { ok: true, status, value }
    : { ok: false, status, message: typeof value === 'string' ? value : JSON.stringify(value) };
}

function toValue(bytes: Uint8Array, mediaType: string): Json {
  const essence = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (essence === 'application/json' || essence.endsWith('+json'))
    return parseOrText(new TextDecoder().decode(bytes));
  return essence.startsWith('text/') ? new TextDecoder().decode(bytes) : toMarker(bytes, essence);
}

/** Bytes of an upstream may claim to be JSON and be none; a caller over HTTP gets them as they are, too. */
function parseOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

type Drained =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly status: number; readonly message: string };

async function drained(
  body: Extract<RouteResponse['body'], { kind: 'stream' }>,
  signal?: AbortSignal,
): Promise<Drained> {
  try {
    const bytes = await drain(body, maxToolBytes, signal);
    if (bytes) return { ok: true, bytes };
    return { ok: false, status: 502, message: `the answer is larger than ${maxToolBytes} bytes` };
  } catch (error) {
    // Whoever made the stream knows why it broke and logs it; only an HTTPError is written for the caller.
    if (error instanceof HTTPError) return { ok: false, status: error.status, message: error.message };
    return { ok: false, status: 502, message: 'the answer broke off' };
  }
}
