import type { Call, Dispatcher } from '../engine/dispatch.ts';
import type { Json, Values } from '../engine/json.ts';
import type { RouteResponse } from '../engine/message.ts';
import type { Principal } from '../principal/principal.ts';
import { essenceOf, isJsonType, isTextType, mediaTypeOf, textOf } from '../route/media.ts';
import type { Route } from '../route/route.ts';
import type { RunScope } from '../runs/run.ts';
import { unkeptNumber } from '../text/unkept-number.ts';
import { toMarker } from './content-markers.ts';
import { isTooDeep } from './json-levels.ts';
import { readAnswer, tooDeepAnswer, type WholeBody } from './read-answer.ts';

/** The hints of a tool. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly idempotentHint: boolean;
  readonly destructiveHint?: boolean;
  readonly requiresApproval: boolean;
}

/** A tool as models and MCP clients are told of it: the specification's descriptor, and `outputSchema` where the route declares its output. */
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

/**
 * Who reads an answer whose JSON has numbers that JavaScript does not keep: a `model` reads its text as it came; a `program`,
 * which there is if nothing is said, takes values and is refused (502) where an integer would be another one.
 */
export type ToolReader = 'model' | 'program';

/** A tool call: addresses the route itself. */
export type ToolCall = Omit<Call, 'input' | 'step' | 'resume' | 'principal'> & {
  readonly arguments: Values;
  readonly reader?: ToolReader;
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

/** The answer of a tool as its caller reads it: JSON only, so that it can be journaled, or shown to a model. */
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

/**
 * Calls the tool of a route; what it refuses, or fails with, is a value and not thrown. Packages call tools in no other
 * way: inside a run it journals, so that no driver can forget to.
 */
export async function callTool(
  dispatcher: Pick<Dispatcher, 'dispatch'>,
  call: ToolCall,
): Promise<ToolResult> {
  if (!call.scope) {
    const { arguments: values, scope: _, reader, ...rest } = call;
    return toToolResult(
      await dispatcher.dispatch({ ...rest, input: { by: 'arguments', values } }),
      call.signal,
      reader,
    );
  }
  const {
    arguments: values,
    scope,
    after,
    reason,
    reader,
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
          reader,
        ),
      };
    },
  );
}

/**
 * Reads a response for a caller by name. JSON is parsed, text stays text, images become `{"$image": …}` markers, sounds
 * `{"$audio": …}`, other bytes `{"$bytes": …}`, an empty body null, a redirect the words that it leads elsewhere. Streams are
 * drained up to `maxToolBytes`; more is a failure (502), and so is JSON that is nested deeper than `maxJsonLevels`. No number
 * is changed unseen: see `ToolReader`.
 */
export async function toToolResult(
  response: RouteResponse,
  signal?: AbortSignal,
  reader: ToolReader = 'program',
): Promise<ToolResult> {
  const answer = await readAnswer(response, () => signal);
  const { status } = answer;
  if (answer.ok) return toReadResult(status, answer.body, reader);
  const { message = 'null', code } = answer;
  return { ok: false, status, message, ...(code !== undefined && { code }) };
}

function toReadResult(status: number, body: WholeBody, reader: ToolReader): ToolResult {
  const text = jsonTextOf(body);
  if (text === undefined) return { ok: true, status, value: toValue(body) };
  const value = parseOrText(text);
  if (value === undefined) return tooDeepAnswer;
  const unkept =
    typeof value === 'string' ? undefined : unkeptNumber(text, reader === 'model' ? 'any' : 'integers');
  if (unkept === undefined) return { ok: true, status, value };
  return reader === 'model' ? { ok: true, status, value: text } : unkeptAnswer(unkept);
}

/** The failure of an answer that holds a number which its reader would take for another one. */
export function unkeptAnswer(number: string): Extract<ToolResult, { ok: false }> {
  const shown = number.length > 40 ? `${number.slice(0, 40)}…` : number;
  return {
    ok: false,
    status: 502,
    message: `the call was made, and its answer holds ${shown}, a number that JavaScript does not keep; as a string it is kept`,
  };
}

function jsonTextOf(body: WholeBody): string | undefined {
  if (body.kind === 'json') return body.text;
  return body.kind === 'bytes' && isJsonType(body.mediaType) ? textOf(body.bytes, body.mediaType) : undefined;
}

/** What is not JSON. */
function toValue(body: WholeBody): Json {
  if (body.kind !== 'bytes') return null;
  const { bytes, mediaType } = body;
  return isTextType(mediaType) ? textOf(bytes, mediaType) : toMarker(bytes, essenceOf(mediaType));
}

/**
 * Bytes of an upstream may claim to be JSON and be none; a caller over HTTP gets them as they are, too.
 *
 * @returns undefined: it is nested too deeply
 */
function parseOrText(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isTooDeep(text) ? undefined : value;
  } catch {
    return text;
  }
}
