import type { HTTPError, Json, Route } from '@waymark/contract';
import type { EngineContext } from '@waymark/contract/engine';
import type { RunScope } from '@waymark/contract/runs';
import type { Stage } from '../runs/drivers.ts';

/** The same route, which tells the world everything that its runs are given, by the key of the step. */
export function spyRoute(route: Route, stage: Stage): Route {
  const { engine } = route;
  const { answer, durability } = engine;
  if (!answer || durability !== 'run') return route;
  return { ...route, engine: { ...engine, answer: (context) => answer(spyContext(context, stage)) } };
}

function spyContext(context: EngineContext, stage: Stage): EngineContext {
  const openRun: EngineContext['openRun'] = (spec, body) =>
    context.openRun(spec, (scope) => body(spyScope(scope, spec.session !== undefined, stage)));
  return withMembers(context, { openRun });
}

/** Counts the steps as the frame does. No turn of the event loop is added: code is given the very same promises. */
function spyScope(scope: RunScope, inSession: boolean, { world, life }: Stage): RunScope {
  let seq = 0;
  const key = (): string => `${scope.runId}.${seq++}`;
  const op: RunScope['op'] = (spec, body) => {
    const step = key();
    const given = scope.op(spec, body);
    given.then(
      (value) => life.dead || world.give(step, value),
      (error: unknown) => life.dead || world.give(step, toFailure(error)),
    );
    return given;
  };
  const value: RunScope['value'] = (name, make) => {
    const step = key();
    const made = scope.value(name, make);
    // One that nothing followed may be another the next time: nobody has acted on it.
    if (!life.dead) world.given.set(`value ${step}`, JSON.stringify(made));
    return made;
  };
  const history: RunScope['history'] = () => {
    if (inSession) key();
    return scope.history();
  };
  return withMembers(scope, { op, value, history });
}

/** What of a failure is the same whether it just happened or was recorded. */
function toFailure(error: unknown): Json {
  const { message, status } = error as HTTPError;
  return { message, ...(status !== undefined && { status }) };
}

/** The same object with some members of ours; the others are its own. */
function withMembers<T extends object>(target: T, members: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
