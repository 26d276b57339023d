import { randomUUID } from 'node:crypto';
import { cutChars } from '../run/cut-text.ts';
import { askMany } from './ask-many.ts';
import { askQuestion } from './ask-question.ts';
import type {
  AskManyOptions,
  AskOptions,
  BehaviourContext,
  BehaviourUsage,
  GatherItem,
  GatherOptions,
} from './behaviour-context.ts';
import type { BehaviourWork } from './behaviour-work.ts';
import { callDeclared } from './call-tools.ts';
import { gather } from './gather.ts';
import { readContext } from './read-context.ts';

/** What the function of a behaviour is given in one leg of its run. Its members can be taken out of it. */
export function toContext(work: BehaviourWork): BehaviourContext {
  const { scope, settings, guard, trace, parts } = work;
  const { id, rootId, authenticated, scopes } = scope.principal;
  const record = <T extends string | number>(name: 'now' | 'random' | 'uuid', make: () => T): T => {
    guard.refuseLate();
    return scope.value(name, make);
  };
  const ctx = {
    call: (tool: string, args?: object) => callDeclared({ as: 'call', tool, args }, work),
    run: (tool: string, args?: object) => callDeclared({ as: 'run', tool, args }, work),
    gather: (items: readonly GatherItem[], options: GatherOptions = {}) =>
      guard.read(() => gather(items, options, work)),
    ask: (prompt: string, options: AskOptions = {}) => askQuestion(prompt, options, work),
    askMany: (prompts: readonly string[], options: AskManyOptions = {}) =>
      guard.read(() => askMany(prompts, options, work)),
    context: (name: string) => readContext(name, work),
    log(message: string): void {
      guard.refuseLate();
      const text = cutChars(String(message), maxMessage);
      trace.add({ kind: 'log', message: scope.value('log', () => tell(text, work)) });
    },
    halt: (reason: string) => guard.halt(String(reason)),
    tools: settings.tools,
    contexts: settings.context,
    user: { id, root_id: rootId, authenticated, scopes },
    get usage() {
      return toUsage(work);
    },
    get trace() {
      return trace.entries;
    },
    runId: scope.runId,
    depth: scope.depth,
    now: () => record('now', () => parts.now()),
    random: () => record('random', () => Math.random()),
    uuid: () => record('uuid', () => randomUUID()),
    signal: scope.signal,
  };
  // The application says what its tools give (`ToolTypes`), and models what is valid under a schema.
  return ctx as unknown as BehaviourContext;
}

/** Characters of one message. */
const maxMessage = 4_000;

/** Told to the server when it is said for the first time. */
function tell(message: string, { context, settings, scope }: BehaviourWork): string {
  context.log('info', message, { behaviour: settings.name, run_id: scope.runId });
  return message;
}

function toUsage({ scope, settings }: BehaviourWork): BehaviourUsage {
  const usage = scope.usage();
  return {
    steps: usage.steps,
    max_steps: scope.maxSteps ?? settings.maxSteps,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_tokens: usage.cacheReadTokens + usage.cacheWriteTokens,
    token_budget: usage.tokenBudget,
    tree_tokens: usage.treeTokens,
    tree_budget: usage.treeBudget,
    depth: scope.depth,
  };
}
