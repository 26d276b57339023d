import { type Route, type Static, Type } from '@waymark/contract';
import type { RouteFacts } from '@waymark/contract/route';
import type { SecurityFacts } from './facts.ts';
import { isGated, isPublic, labelOf } from './surface.ts';

const closed = { additionalProperties: false };
const scopeList = Type.Array(Type.String());
const textOrNull = Type.Union([Type.String(), Type.Null()]);

/** One way in for everybody. */
export const publicRow = Type.Object(
  {
    method: Type.String(),
    path: Type.String(),
    engine: Type.String(),
    tool: textOrNull,
    scopes: Type.Array(Type.String(), { description: 'What it asks for, and anonymous callers hold.' }),
    writes: Type.Boolean({ description: 'Whether it may change state.' }),
  },
  closed,
);

/** One tool that agents use with the approval of a human only. */
export const gatedRow = Type.Object(
  {
    name: Type.String(),
    route: Type.String({ description: 'Method and path.' }),
    scopes: scopeList,
    approver: Type.Object(
      {
        scope: textOrNull,
        four_eyes: Type.Boolean(),
        expires_ms: Type.Integer({ minimum: 0 }),
      },
      closed,
    ),
  },
  closed,
);

/** An agent, behaviour or flow, and who may start it. */
export const runnableRow = Type.Object(
  { name: Type.String(), route: Type.String(), expose_scopes: scopeList },
  closed,
);

/** A memory, and who may use it. */
export const memoryRow = Type.Object(
  { name: Type.String(), read_scopes: scopeList, write_scopes: scopeList },
  closed,
);

/** Lists the routes that anybody reaches, in declaration order. */
export function toPublicRows(facts: SecurityFacts): Static<typeof publicRow>[] {
  return [...facts.table]
    .filter((route) => isPublic(facts, route))
    .map((route) => ({
      method: route.method,
      path: facts.table.pathOf(route),
      engine: route.engine.kind,
      tool: route.tool ? route.name : null,
      scopes: [...route.scopes],
      writes: !route.readOnly,
    }));
}

/** Milliseconds until a request for approval counts as declined, where the tool does not say (decision 8). */
const defaultExpiresMs = 86_400_000;

/** Lists the tools that ask a human. */
export function toGatedRows(facts: SecurityFacts): Static<typeof gatedRow>[] {
  return [...facts.table].filter(isGated).map((route) => {
    const { scope = null, fourEyes = false, expiresMs = defaultExpiresMs } = route.approver;
    return {
      name: route.name,
      route: labelOf(facts, route),
      scopes: [...route.scopes],
      approver: { scope, four_eyes: fourEyes, expires_ms: expiresMs },
    };
  });
}

/** Lists the agents, behaviours or flows. The socket of one is no second one. */
export function toRunnableRows(
  facts: SecurityFacts,
  kind: RouteFacts['startsRun'],
): Static<typeof runnableRow>[] {
  return [...facts.table]
    .filter((route) => route.facts.startsRun === kind && !route.socket)
    .map((route) => ({
      name: route.name,
      route: labelOf(facts, route),
      expose_scopes: [...route.scopes],
    }));
}

/** Lists the memories. */
export function toMemoryRows({ table }: SecurityFacts): Static<typeof memoryRow>[] {
  const routes = [...table];
  const names = new Set(routes.flatMap(({ facts }) => facts.memory ?? []));
  return [...names].map((name) => {
    const own = routes.filter(({ facts }) => facts.memory === name);
    return {
      name,
      read_scopes: scopesOf(own.filter(({ readOnly }) => readOnly)),
      write_scopes: scopesOf(own.filter(({ readOnly }) => !readOnly)),
    };
  });
}

function scopesOf(routes: readonly Route[]): string[] {
  return [...new Set(routes.flatMap(({ scopes }) => scopes))];
}
