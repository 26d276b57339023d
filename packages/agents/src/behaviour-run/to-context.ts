import { randomUUID } from 'node:crypto';
import type {
  AskManyOptions,
  AskOptions,
  BehaviourContext,
  BehaviourUsage,
  GatherItem,
  GatherOptions,
} from '../behaviour/behaviour-context.ts';
import { cutChars } from '../run/cut-text.ts';
import { askMany } from './ask-many.ts';
import { askQuestion } from './ask-question.ts';
import type { BehaviourWork } from './behaviour-work.ts';
import { callDeclared } from './call-tools.ts';
import { gather } from './gather.ts';
import { readContext } from './read-context.ts';

/** What the function of a behaviour is given in one leg of its run. Its members can be taken out of it. */
export function toContext(work: BehaviourWork): BehaviourContext {
  const { scope, settings, guard, trace, parts } = work;
  const { id, rootId, authenticated, scopes } = scope.principal;
  const record = <T extends string | number>(name: 'now' | 'random' | 'uuid', make: () => T): T =>
    recorded(work, name, make) ?? make();
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
      const text = cutChars(String(message), maxMessage);
      const said = recorded(work, 'log', () => tell(text, work));
      if (said !== undefined) trace.add({ kind: 'log', message: said });
    },
    halt: (reason: string) => guard.halt(String(reason)),
    // Frozen copies: what is declared and allowed is not the function's to change.
    tools: Object.freeze([...settings.tools]),
    contexts: Object.freeze([...settings.context]),
    user: Object.freeze({ id, root_id: rootId, authenticated, scopes: Object.freeze([...scopes]) }),
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

/**
 * A value as the journal has it. Undefined when the run has ended or was dropped: what a timer of its own still does then
 * counts for nothing, and an error would end the process, since nobody catches what a timer throws.
 *
 * @throws {Error} it is asked for again and again after the end, and nothing else can happen meanwhile
 */
function recorded<T extends string | number>(
  { guard, scope }: BehaviourWork,
  name: 'now' | 'random' | 'uuid' | 'log',
  make: () => T,
): T | undefined {
  if (!guard.takeUncounted()) return undefined;
  try {
    return scope.value(name, make);
  } catch {
    guard.comeLate();
    return undefined;
  }
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
