import { defineRoute, HTTPError, type Json, type Route, Type, toRoute } from '@waymark/contract';

/** A tool that answers what `answers` says for its arguments, and writes them down. */
export interface ToolBench {
  readonly routes: readonly Route[];
  /** What was asked, in order: tool and arguments. */
  readonly asked: readonly (readonly [tool: string, values: Json])[];
}

/** What a tool is and answers. A function of its arguments, or always the same. */
export interface ToolOptions {
  readonly kind?: 'handler' | 'agent' | 'behaviour' | 'flow';
  readonly scopes?: readonly string[];
  /** How one that runs ends; completed. */
  readonly ends?: string;
  readonly answer?: Json | ((values: Json) => Json | Promise<Json>) | Error;
}

/** What an agent takes inside of a run. */
const toolInput = Type.Object({ input: Type.String() }, { additionalProperties: false });

/** Tools by name that take anything. Those that run are runs to a flow: they answer as runs do inside of one. */
export function toolBench(tools: Readonly<Record<string, ToolOptions | Json>>): ToolBench {
  const asked: (readonly [string, Json])[] = [];
  const routes = Object.entries(tools).map(([name, given]) => {
    const {
      kind = 'handler',
      scopes = [],
      ends = 'completed',
      answer,
    } = isOptions(given) ? given : { answer: given };
    return toRoute(
      'POST',
      `/${name}`,
      {
        kind,
        async answer({ input }) {
          asked.push([name, input as Json]);
          if (answer instanceof Error) throw answer;
          const output = typeof answer === 'function' ? await answer(input as Json) : answer;
          return kind === 'handler' ? output : { status: ends, output };
        },
      },
      {
        ...{ tool: true, toolName: name, scopes, input: { type: 'object' } },
        ...(kind !== 'handler' && { facts: { startsRun: kind, ...(kind === 'agent' && { toolInput }) } }),
      },
    );
  });
  return { routes, asked };
}

function isOptions(given: ToolOptions | Json): given is ToolOptions {
  return (
    typeof given === 'object' && given !== null && ('answer' in given || 'kind' in given || 'scopes' in given)
  );
}

/** A failure that its caller may read. */
export function refused(status = 404, message = 'no ticket 7'): HTTPError {
  return new HTTPError(status, message);
}

/** A tool that takes what it declares and nothing else. */
export function strictTool(name = 'ticket'): Route {
  const input = {
    id: Type.Integer(),
    style: Type.String({ default: 'short' }),
    note: Type.Optional(Type.String()),
  };
  return defineRoute('POST', `/${name}`, { tool: true, toolName: name, input }, ({ id }) => ({ id }));
}
